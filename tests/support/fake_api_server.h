// An API server in the test's own process: lists in pages, watches, and the faults of real ones on demand.
//
// It keeps objects by plural (nodes, namespaces), gives every change a version, and serves over TLS on a free
// loopback port. Any other path has what putAt() put there (one object, a list of an API group's resources).
// Events reach each watch as one or more pieces of bytes, so that a test can cut, break, end or garble them.
// Everything may be called from the test's thread while clients are at work; eventually() waits for a
// condition.
#pragma once

#include <httplib.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/certificates.h"

namespace driftbar::test {

class FakeApiServer {
 public:
  struct Request {
    std::string plural, authorization;
    bool watch = false;
    std::string limit, continuation, version;  // of the query
  };
  struct Answer {  // instead of the right one
    int status = 500;
    std::string body;
    std::string retryAfter;
  };
  struct Identity {
    std::string certificateName = "kube-apiserver";
    std::string names = "IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc";
    long fromHours = -1, toHours = 24;
    bool wantsClientCertificate = false;
  };

  FakeApiServer() : FakeApiServer(Identity{}) {}
  explicit FakeApiServer(const Identity& identity) {
    const PemPair pair =
        authority_.issue(identity.certificateName, identity.names, identity.fromHours, identity.toHours);
    BIO* certificate = BIO_new_mem_buf(pair.certificate.data(), static_cast<int>(pair.certificate.size()));
    BIO* key = BIO_new_mem_buf(pair.key.data(), static_cast<int>(pair.key.size()));
    X509* x509 = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
    EVP_PKEY* privateKey = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
    X509_STORE* clients = nullptr;
    if (identity.wantsClientCertificate) {
      clients = X509_STORE_new();
      X509_STORE_add_cert(clients, authority_.certificate());
    }
    server_ = std::make_unique<httplib::SSLServer>(x509, privateKey, clients);
    X509_free(x509);
    EVP_PKEY_free(privateKey);
    BIO_free(certificate);
    BIO_free(key);
    SSL_CTX_set_tlsext_servername_callback(server_->ssl_context(), onName);
    SSL_CTX_set_tlsext_servername_arg(server_->ssl_context(), this);
    serve();
  }
  ~FakeApiServer() { stop(); }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    server_->stop();
    if (thread_.joinable()) thread_.join();
  }

  int port() const { return port_; }
  const Authority& authority() const { return authority_; }

  // --- the objects ---

  // Adds or changes an object; `more` is merged into it. Returns its version.
  long put(const std::string& plural, const std::string& name,
           nlohmann::json more = nlohmann::json::object()) {
    const std::lock_guard lock(mutex_);
    auto& shelf = objects_[plural];
    const bool there = shelf.contains(name);
    nlohmann::json object{{"apiVersion", "v1"}, {"kind", plural == "nodes" ? "Node" : "Namespace"}};
    object.merge_patch(more);
    object["metadata"]["name"] = name;
    object["metadata"]["uid"] = "uid-" + name;
    shelf[name] = stamped(object);
    emit(plural, there ? "MODIFIED" : "ADDED", shelf[name]);
    return version_;
  }

  long remove(const std::string& plural, const std::string& name) {
    const std::lock_guard lock(mutex_);
    nlohmann::json last = stamped(objects_[plural][name]);
    objects_[plural].erase(name);
    emit(plural, "DELETED", last);
    return version_;
  }

  // What a GET of exactly this path answers; any path but those of the lists above.
  void putAt(const std::string& path, const std::string& json) {
    const std::lock_guard lock(mutex_);
    atPaths_[path] = json;
  }

  std::vector<std::string> names(const std::string& plural) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    const auto at = objects_.find(plural);
    if (at == objects_.end()) return out;
    for (const auto& [name, object] : at->second) out.push_back(name);
    return out;
  }

  long version() const {
    const std::lock_guard lock(mutex_);
    return version_;
  }

  // --- the faults ---

  // The next requests (list: watch false) are answered so, each answer once, in this order.
  void answerNext(const std::string& plural, bool watch, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[{plural, watch}].push_back(std::move(answer));
  }
  // Runs once, before the next page that continues a list of this plural is answered.
  void beforeNextPage(const std::string& plural, std::function<void()> act) {
    const std::lock_guard lock(mutex_);
    beforePage_[plural] = std::move(act);
  }
  // Each event goes out in pieces of so many bytes.
  void cutLines(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    pieceBytes_ = bytes;
  }
  // These bytes go to each open watch, as they are.
  void sendRaw(const std::string& plural, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    for (auto& watch : watches_) {
      if (watch.plural == plural) watch.steps.push_back({bytes, Step::kGoOn});
    }
    changed_.notify_all();
  }
  void sendBookmark(const std::string& plural) { sendRaw(plural, bookmarkLine(plural)); }
  // The open watches end as they do after 30 to 60 minutes, or break off (after these bytes).
  void endWatches(const std::string& plural) { finishWatches(plural, {}, Step::kEnd); }
  void breakWatches(const std::string& plural, const std::string& after = {}) {
    finishWatches(plural, after, Step::kBreak);
  }
  // What was before is not kept any more: a watch from there gets 410, as a status or as an event.
  void compact(bool asEvent) {
    const std::lock_guard lock(mutex_);
    oldest_ = version_;
    goneAsEvent_ = asEvent;
  }
  // Changes from now on reach nobody's open watch, as if the connection hung.
  void holdEvents(bool hold) {
    const std::lock_guard lock(mutex_);
    holding_ = hold;
  }
  // The next request of this path is answered so.
  void answerNextAt(const std::string& path, Answer answer) {
    const std::lock_guard lock(mutex_);
    answersAt_[path].push_back(std::move(answer));
  }
  // Requests of this path get no answer before release().
  void hold(const std::string& path) {
    const std::lock_guard lock(mutex_);
    held_.insert(path);
  }
  void release(const std::string& path) {
    const std::lock_guard lock(mutex_);
    held_.erase(path);
    changed_.notify_all();
  }
  // Requests need `Bearer <token>`; empty: anyone may come.
  void wantToken(const std::string& token) {
    const std::lock_guard lock(mutex_);
    token_ = token;
  }

  // --- what it has seen ---

  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::vector<Request> requests(const std::string& plural, bool watch) const {
    const std::lock_guard lock(mutex_);
    std::vector<Request> out;
    std::copy_if(requests_.begin(), requests_.end(), std::back_inserter(out),
                 [&](const Request& r) { return r.plural == plural && r.watch == watch; });
    return out;
  }
  // Of the paths that putAt() is for, as sent.
  std::vector<std::string> askedPaths() const {
    const std::lock_guard lock(mutex_);
    return askedPaths_;
  }
  std::size_t openWatches(const std::string& plural) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(watches_.begin(), watches_.end(), [&](const Watch& w) { return w.plural == plural; }));
  }
  std::size_t connections() const {
    const std::lock_guard lock(mutex_);
    return askedNames_.size();
  }
  // The names asked for by SNI, one for each connection; `-` where none was.
  std::vector<std::string> askedNames() const {
    const std::lock_guard lock(mutex_);
    return askedNames_;
  }

 private:
  struct Step {
    std::string bytes;
    enum { kGoOn, kEnd, kBreak } then = kGoOn;
  };
  struct Watch {
    std::string plural;
    std::deque<Step> steps;
  };
  struct Event {
    long version;
    std::string plural, line;
  };
  using Watches = std::list<Watch>;

  static int onName(SSL* ssl, int*, void* server) {
    auto* self = static_cast<FakeApiServer*>(server);
    const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    const std::lock_guard lock(self->mutex_);
    self->askedNames_.emplace_back(name == nullptr ? "-" : name);
    return SSL_TLSEXT_ERR_OK;
  }

  void serve() {
    server_->new_task_queue = [] { return new httplib::ThreadPool(24); };
    server_->set_keep_alive_max_count(100000);
    server_->set_keep_alive_timeout(1);
    server_->set_tcp_nodelay(true);
    server_->Get(R"(/api/v1/([a-z]+))", [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    });
    server_->Get(R"(/.*)", [this](const httplib::Request& request, httplib::Response& response) {
      answerAt(request, response);
    });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }

  nlohmann::json stamped(nlohmann::json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    return object;
  }

  static std::string line(const std::string& type, const nlohmann::json& object) {
    return nlohmann::json{{"type", type}, {"object", object}}.dump() + "\n";
  }

  std::string bookmarkLine(const std::string& plural) const {
    const std::lock_guard lock(mutex_);
    return line("BOOKMARK", {{"kind", plural == "nodes" ? "Node" : "Namespace"},
                             {"apiVersion", "v1"},
                             {"metadata", {{"resourceVersion", std::to_string(version_)}}}});
  }

  void emit(const std::string& plural, const std::string& type, const nlohmann::json& object) {
    history_.push_back({version_, plural, line(type, object)});
    if (holding_) return;
    for (auto& watch : watches_) {
      if (watch.plural == plural) queue(watch, history_.back().line);
    }
    changed_.notify_all();
  }

  void queue(Watch& watch, const std::string& bytes) const {
    const std::size_t piece = pieceBytes_ == 0 ? bytes.size() : pieceBytes_;
    for (std::size_t from = 0; from < bytes.size(); from += piece) {
      watch.steps.push_back({bytes.substr(from, piece), Step::kGoOn});
    }
  }

  void finishWatches(const std::string& plural, const std::string& bytes, decltype(Step::then) then) {
    const std::lock_guard lock(mutex_);
    for (auto& watch : watches_) {
      if (watch.plural == plural) watch.steps.push_back({bytes, then});
    }
    changed_.notify_all();
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    Request seen{request.matches[1].str(),
                 request.get_header_value("Authorization"),
                 request.has_param("watch"),
                 request.get_param_value("limit"),
                 request.get_param_value("continue"),
                 request.get_param_value("resourceVersion")};
    std::function<void()> act;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(seen);
      changed_.notify_all();
      if (!seen.continuation.empty()) act = std::exchange(beforePage_[seen.plural], nullptr);
    }
    if (act) act();
    const std::lock_guard lock(mutex_);
    if (refuse(seen, response)) return;
    if (seen.watch) {
      startWatch(seen, response);
    } else {
      sendPage(seen, response);
    }
  }

  void answerAt(const httplib::Request& request, httplib::Response& response) {
    std::unique_lock lock(mutex_);
    askedPaths_.push_back(request.target);
    changed_.notify_all();
    changed_.wait(lock, [&] { return stopping_ || !held_.contains(request.path); });
    if (!token_.empty() && request.get_header_value("Authorization") != "Bearer " + token_) {
      return sendStatus(response, 401, "Unauthorized");
    }
    if (auto& answers = answersAt_[request.path]; !answers.empty()) {
      send(response, answers.front());
      answers.pop_front();
    } else if (const auto at = atPaths_.find(request.path); at != atPaths_.end()) {
      response.set_content(at->second, "application/json");
    } else {
      sendStatus(response, 404, "the server could not find the requested resource");
    }
  }

  bool refuse(const Request& seen, httplib::Response& response) {
    if (!token_.empty() && seen.authorization != "Bearer " + token_) {
      return sendStatus(response, 401, "Unauthorized"), true;
    }
    auto& answers = answers_[{seen.plural, seen.watch}];
    if (answers.empty()) return false;
    send(response, answers.front());
    answers.pop_front();
    return true;
  }

  static void send(httplib::Response& response, const Answer& answer) {
    response.status = answer.status;
    if (!answer.retryAfter.empty()) response.set_header("Retry-After", answer.retryAfter);
    response.set_content(answer.body, "application/json");
  }

  static void sendStatus(httplib::Response& response, int code, const std::string& message) {
    response.status = code;
    response.set_content(statusObject(code, message).dump(), "application/json");
  }

  static nlohmann::json statusObject(int code, const std::string& message) {
    return {{"kind", "Status"},
            {"apiVersion", "v1"},
            {"status", "Failure"},
            {"message", message},
            {"code", code}};
  }

  // A list that is continued shows what was there when its first page was asked for.
  void sendPage(const Request& seen, httplib::Response& response) {
    std::string token = seen.continuation.substr(0, seen.continuation.find('/'));
    std::size_t from = 0;
    if (token.empty()) {
      token = std::to_string(version_);
      auto& kept = lists_[seen.plural + token];
      kept.clear();
      for (const auto& [name, object] : objects_[seen.plural]) kept.push_back(object);
    } else {
      from = std::stoul(seen.continuation.substr(seen.continuation.find('/') + 1));
    }
    const auto& all = lists_[seen.plural + token];
    const std::size_t limit = seen.limit.empty() ? all.size() : std::stoul(seen.limit);
    const std::size_t to = std::min(from + limit, all.size());
    nlohmann::json page{{"kind", "List"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", token}}}};
    page["items"] = nlohmann::json::array();
    for (std::size_t i = from; i < to; ++i) page["items"].push_back(all[i]);
    if (to < all.size()) page["metadata"]["continue"] = token + "/" + std::to_string(to);
    response.set_content(page.dump(), "application/json");
  }

  void startWatch(const Request& seen, httplib::Response& response) {
    const long from = std::stol(seen.version);
    if (from < oldest_ && !goneAsEvent_) return sendStatus(response, 410, "too old resource version");
    watches_.push_back({seen.plural, {}});
    const auto watch = std::prev(watches_.end());
    if (from < oldest_) {
      watch->steps.push_back({line("ERROR", statusObject(410, "too old resource version")), Step::kGoOn});
    } else {
      for (const auto& event : history_) {
        if (event.version > from && event.plural == seen.plural) queue(*watch, event.line);
      }
    }
    changed_.notify_all();
    response.set_chunked_content_provider(
        "application/json",
        [this, watch](std::size_t, httplib::DataSink& sink) { return feed(*watch, sink); },
        [this, watch](bool) { close(watch); });
  }

  bool feed(Watch& watch, httplib::DataSink& sink) {
    std::unique_lock lock(mutex_);
    // A client that went away shows when it is written to, or here.
    while (watch.steps.empty() && !stopping_) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      if (!sink.is_writable()) return false;
    }
    if (stopping_) return false;
    const Step step = watch.steps.front();
    watch.steps.pop_front();
    lock.unlock();
    if (!step.bytes.empty() && !sink.write(step.bytes.data(), step.bytes.size())) return false;
    if (step.then == Step::kEnd) sink.done();
    return step.then != Step::kBreak;
  }

  void close(Watches::iterator watch) {
    const std::lock_guard lock(mutex_);
    watches_.erase(watch);
    changed_.notify_all();
  }

  const Authority authority_;
  std::unique_ptr<httplib::SSLServer> server_;
  std::thread thread_;
  int port_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false, holding_ = false, goneAsEvent_ = false;
  long version_ = 100, oldest_ = 0;
  std::size_t pieceBytes_ = 0;
  std::string token_;
  std::map<std::string, std::map<std::string, nlohmann::json>> objects_;
  std::map<std::string, std::vector<nlohmann::json>> lists_;
  std::vector<Event> history_;
  Watches watches_;
  std::map<std::pair<std::string, bool>, std::deque<Answer>> answers_;
  std::map<std::string, std::function<void()>> beforePage_;
  std::map<std::string, std::string> atPaths_;
  std::map<std::string, std::deque<Answer>> answersAt_;
  std::set<std::string> held_;
  std::vector<std::string> askedPaths_;
  std::vector<Request> requests_;
  std::vector<std::string> askedNames_;
};

// Waits until `holds`, generously; false when it never does.
inline bool eventually(const std::function<bool()>& holds) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace driftbar::test
