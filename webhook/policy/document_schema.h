// The JSON Schema of documents (draft-07, which editors understand best), made from the tables of the
// language.
//
// What a row says of a word is what the schema says: its documentation for hovers, what may be written beside
// it (Written), whether it must be there. Beyond that a condition has exactly one subject or combinator, and
// beside a subject only the tests that its values take. What needs more than the shape of a document, such as
// whether a path leads somewhere, only `driftbar lint` can tell.
//
// `errorMessage` is a word of editors (yaml-language-server), which validators pass over.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace driftbar::policy {

nlohmann::ordered_json documentSchema();

}  // namespace driftbar::policy
