// The functions of the rows of the table of subjects, by file: subject_pairs (label, annotation),
// subject_nodes (taint, condition, …), subject_pods (what pods have), subject_requests (field, changed,
// requestedBy). What each kind of function is for: SubjectRow.
#pragma once

#include "policy/subject_table.h"

namespace driftbar::policy::subjects {

#define DRIFTBAR_SUBJECT_PARSE(name) \
  std::optional<Argument> name(const syntax::Leaf& leaf, const Surroundings& around, Problems& problems)
#define DRIFTBAR_SUBJECT_VALUES(name) void name(const Argument& argument, const Scope& scope, Seen& seen)
#define DRIFTBAR_SUBJECT_WORDS(name) \
  std::string name(const Argument& argument, const Value& value, const Scope& scope)
#define DRIFTBAR_SUBJECT_MUST(name) std::string name(const Argument& argument, bool holds)

// Labels and annotations.
DRIFTBAR_SUBJECT_PARSE(parsePairs);
DRIFTBAR_SUBJECT_VALUES(labelValues);
DRIFTBAR_SUBJECT_WORDS(labelPlace);
DRIFTBAR_SUBJECT_WORDS(labelNoun);
DRIFTBAR_SUBJECT_VALUES(annotationValues);
DRIFTBAR_SUBJECT_WORDS(annotationPlace);
DRIFTBAR_SUBJECT_WORDS(annotationNoun);

// Nodes.
DRIFTBAR_SUBJECT_PARSE(parseTaint);
DRIFTBAR_SUBJECT_VALUES(taintValues);
DRIFTBAR_SUBJECT_WORDS(taintPlace);
DRIFTBAR_SUBJECT_WORDS(taintNoun);
DRIFTBAR_SUBJECT_WORDS(taintSentence);
DRIFTBAR_SUBJECT_PARSE(parseCondition);
DRIFTBAR_SUBJECT_VALUES(conditionValues);
DRIFTBAR_SUBJECT_WORDS(conditionPlace);
DRIFTBAR_SUBJECT_WORDS(conditionNoun);

// Pods.
DRIFTBAR_SUBJECT_PARSE(parseCanLandOn);
DRIFTBAR_SUBJECT_VALUES(canLandOnValues);
DRIFTBAR_SUBJECT_WORDS(canLandOnPlace);
DRIFTBAR_SUBJECT_WORDS(canLandOnNoun);
DRIFTBAR_SUBJECT_WORDS(canLandOnSentence);
DRIFTBAR_SUBJECT_MUST(canLandOnMust);

// Any object, and the request.
DRIFTBAR_SUBJECT_PARSE(parseField);
DRIFTBAR_SUBJECT_VALUES(fieldValues);
DRIFTBAR_SUBJECT_WORDS(trailPlace);  // of every subject whose values have a trail
DRIFTBAR_SUBJECT_WORDS(fieldSentence);
DRIFTBAR_SUBJECT_PARSE(parseChanged);
DRIFTBAR_SUBJECT_VALUES(changedValues);
DRIFTBAR_SUBJECT_WORDS(changedNoun);
DRIFTBAR_SUBJECT_WORDS(changedSentence);
DRIFTBAR_SUBJECT_MUST(changedMust);
DRIFTBAR_SUBJECT_PARSE(parseRequestedBy);
DRIFTBAR_SUBJECT_VALUES(requestedByValues);
DRIFTBAR_SUBJECT_WORDS(requestedByPlace);
DRIFTBAR_SUBJECT_WORDS(requestedByNoun);
DRIFTBAR_SUBJECT_WORDS(requestedBySentence);
DRIFTBAR_SUBJECT_MUST(requestedByMust);

}  // namespace driftbar::policy::subjects
