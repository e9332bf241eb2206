#include "cluster/feed.h"

#include <algorithm>

#include "cluster/refusal.h"
#include "cluster/watch_stream.h"

namespace driftbar::cluster {
namespace {

constexpr int kGone = 410;

bool is(const Diagnostic& d, std::string_view id) {
  return d.id == id;
}

}  // namespace

struct Feed::Listing {
  std::vector<inventory::Object> objects;
  std::vector<std::string> unreadable;  // names of those whose earlier version is to stay
  std::string version;                  // of the first page: events from there on come again, none is missed
  std::string continuation;
  std::size_t pageSize = 0;
  bool whole = false;
};

Feed::Feed(const FeedKind& kind, std::size_t index, Access access, Watcher& watcher)
    : kind_(kind),
      index_(index),
      watcher_(watcher),
      api_(std::move(access), watcher.options_.limits),
      backoff_(watcher.options_.backoff, watcher.options_.random ? watcher.options_.random : systemRandom()) {
}

void Feed::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (version_.empty() && !list()) {
      pause(stop);
      continue;
    }
    const Next next = watch();
    if (next == Next::kRelist) version_.clear();
    if (next != Next::kGoOn) pause(stop);
  }
}

// --- the list ---

std::string Feed::listPath(const Listing& listing) const {
  std::string path = std::string(kind_.path) + "?limit=" + std::to_string(listing.pageSize);
  if (!listing.continuation.empty()) path += "&continue=" + queryValue(listing.continuation);
  return path;
}

bool Feed::list() {
  Listing listing;
  listing.pageSize = watcher_.options_.pageSize;
  const Instant began = watcher_.options_.now();  // what the list says was true then
  do {
    if (!page(listing)) return false;
  } while (!listing.whole);
  {
    const std::lock_guard lock(watcher_.mutex_);
    for (const auto& name : listing.unreadable) {
      if (auto held = watcher_.store_.find(kind_.kind, name)) listing.objects.push_back(std::move(*held));
    }
    watcher_.store_.replace(kind_.kind, std::move(listing.objects));
    status().complete = watcher_.changed_ = true;
    ++status().lists;
  }
  version_ = listing.version;
  contact(began);
  return true;
}

bool Feed::page(Listing& listing) {
  const auto reply = api_.get(listPath(listing));
  if (!reply && is(reply.errors().front(), kTooLarge) && listing.pageSize > 1) {
    listing.pageSize = std::max<std::size_t>(listing.pageSize / 4, 1);
    return true;
  }
  if (!reply) return fail(reply.errors().front()), false;
  if (reply->status == 200) return readPage(listing, reply->body);
  atLeast_ = reply->retryAfter.value_or(Duration::zero());
  return fail(refusal(api_.access(), "list", kind_.plural, *reply)), false;
}

bool Feed::readPage(Listing& listing, const std::string& body) {
  const auto document = JsonDocument::parse(body);
  const Json root = document ? document->root() : Json();
  const std::string_view version = root["metadata"]["resourceVersion"].text();
  if (version.empty() || !(root["items"].isList() || root["items"].isNull())) {
    const std::string why =
        document ? "it has no items with a resourceVersion" : document.errors().front().message;
    fail(error("malformed-list", "the list of " + std::string(kind_.plural) + " of the API server at " +
                                     api_.access().server.url() + " cannot be read: " + why));
    return false;
  }
  if (listing.version.empty()) listing.version = version;
  listing.continuation = root["metadata"]["continue"].text();
  listing.whole = listing.continuation.empty();
  for (const Json item : root["items"].items()) {
    auto object = inventory::parseObject(kind_.kind, item);
    if (object) {
      listing.objects.push_back(std::move(*object));
    } else {
      listing.unreadable.emplace_back(item["metadata"]["name"].text());
      const std::lock_guard lock(watcher_.mutex_);
      ++status().unreadable;
    }
  }
  return true;
}

// --- the watch ---

Feed::Next Feed::watch() {
  LineJoiner lines;
  std::size_t count = 0;
  Next byReader = Next::kGoOn;
  StreamReader reader;
  reader.opened = [&] {
    contact(watcher_.options_.now());
    const std::lock_guard lock(watcher_.mutex_);
    ++status().watches;
  };
  reader.bytes = [&](std::string_view part) {
    lines.add(part);
    while (const auto line = lines.next()) {
      ++count;
      byReader = event(*line);
      if (byReader != Next::kGoOn) return false;
    }
    if (!lines.tooLong()) return true;
    const std::lock_guard lock(watcher_.mutex_);
    ++status().malformed;
    byReader = Next::kRelist;
    return false;
  };
  const auto reply =
      api_.stream(std::string(kind_.path) +
                      "?watch=true&allowWatchBookmarks=true&resourceVersion=" + queryValue(version_),
                  reader);
  return afterWatch(reply, count, byReader);
}

Feed::Next Feed::afterWatch(const Result<StreamReply>& reply, std::size_t lines, Next byReader) {
  if (!reply) return fail(reply.errors().front()), Next::kWait;
  if (reply->status == kGone) {
    const std::lock_guard lock(watcher_.mutex_);
    ++status().expired;
    return Next::kRelist;
  }
  if (reply->status != 200) {
    atLeast_ = reply->retryAfter.value_or(Duration::zero());
    return fail(refusal(api_.access(), "watch", kind_.plural, *reply)), Next::kWait;
  }
  switch (reply->end) {
    case StreamReply::End::kReader:
      return byReader;
    case StreamReply::End::kSilence:
      return Next::kGoOn;
    // A server that ends watches as soon as they begin is not asked without pause.
    case StreamReply::End::kServer:
      return lines > 0 ? Next::kGoOn : Next::kWait;
    case StreamReply::End::kBroken:
      break;
  }
  fail(error(std::string(kBroken), "the watch on " + std::string(kind_.plural) +
                                       " broke off: the API server at " + api_.access().server.url() +
                                       " went away"));
  return Next::kWait;
}

Feed::Next Feed::event(std::string_view line) {
  const auto event = parseWatchEvent(line);
  if (!event) {
    const std::lock_guard lock(watcher_.mutex_);
    ++status().malformed;
    return Next::kRelist;
  }
  if (event->type == WatchEvent::Type::kError) return errorEvent(*event);
  apply(*event);
  version_ = event->version();
  backoff_.reset();
  contact(watcher_.options_.now());
  return Next::kGoOn;
}

void Feed::apply(const WatchEvent& event) {
  if (event.type == WatchEvent::Type::kBookmark) return;
  const bool deleted = event.type == WatchEvent::Type::kDeleted;
  auto object = deleted ? Result<inventory::Object>(inventory::Object{})
                        : inventory::parseObject(kind_.kind, event.object());
  const std::lock_guard lock(watcher_.mutex_);
  ++status().events;
  if (!object) {
    ++status().unreadable;
    return;
  }
  if (deleted) {
    watcher_.store_.remove(kind_.kind, event.name());
  } else {
    watcher_.store_.put(std::move(*object));
  }
  watcher_.changed_ = true;
  watcher_.wake_.notify_all();
}

Feed::Next Feed::errorEvent(const WatchEvent& event) {
  if (event.code() == kGone) {
    const std::lock_guard lock(watcher_.mutex_);
    ++status().expired;
    return Next::kRelist;
  }
  Reply reply;
  reply.status = event.code();
  reply.body = event.object().dump();
  fail(refusal(api_.access(), "watch", kind_.plural, reply));
  return Next::kWait;
}

// --- how it stands ---

void Feed::contact(Instant when) {
  const std::lock_guard lock(watcher_.mutex_);
  status().lastContact = when;
  status().failures = 0;
  status().lastError.reset();
  watcher_.wake_.notify_all();
}

void Feed::fail(Diagnostic why) {
  if (is(why, kStopped)) return;
  const std::lock_guard lock(watcher_.mutex_);
  ++status().failures;
  status().lastError = std::move(why);
}

void Feed::pause(const std::stop_token& stop) {
  const Duration wait = std::max(backoff_.next(), std::exchange(atLeast_, Duration::zero()));
  std::unique_lock lock(watcher_.mutex_);
  watcher_.wake_.wait_for(lock, stop, wait, [] { return false; });
}

}  // namespace driftbar::cluster
