// The parts of Asio and Beast the front is made of, under short names. Every connection has a strand, so that
// what happens to it happens one at a time; the executor's type is written out, for the type-erased one costs
// an allocation for each operation.
#pragma once

#define BOOST_ASIO_NO_DEPRECATED 1

// The thread sanitizer does not know bare fences (g++ says so, and warns). Asio's are beside its mutexes,
// which order all that these would.
#if defined(__SANITIZE_THREAD__)
#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1
#endif
#endif

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/parser.hpp>

namespace driftbar::server {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;
using Strand = asio::strand<asio::io_context::executor_type>;
using PlainStream = asio::basic_stream_socket<Tcp, Strand>;
using TlsStream = asio::ssl::stream<PlainStream>;

}  // namespace driftbar::server
