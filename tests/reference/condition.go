package main

import (
	"strings"
	"time"
)

// world is what a condition is judged over at one moment.
type world struct {
	c          *testCase
	set        *policySet
	request    any
	object     any
	oldObject  any
	namespace  any // nil: not known, or there is none
	now        time.Time
	templates  []template
	pod        any // the pod judged now
	podPlace   string
	podUnknown bool // there is one, and it is not known
	asked      any  // the pod that was looked up, for a request that does not carry it
	settled    bool // the request settles where it may go
	ranks      bool // the pod judged now carries ranks
	node       any  // of avoidNodes, of onNode and of rules on nodes
	// The node is not known.
	nodeUnknown bool
	aboutNode   bool // labels and the like are the node's

	inElement      bool // inside of `where`
	element        any
	elementPlace   string
	elementPattern string
}

func (w *world) ns() string { return text(w.request, "namespace") }

// judgement is what a condition says, with what speaks against the object where it does: what makes the condition hold
// where any value is enough, what keeps it from holding where each must pass. `open` is what can't be told, and might
// speak against the object too.
type judgement struct {
	holds   truth
	against []evidence
	open    []evidence
}

// Many values, or none: where any is enough, over nothing nothing holds; where each must pass, over nothing all do. So
// nothing is ever broken over nothing.
func gather(parts []judgement, each, conjunction bool) judgement {
	result := judgement{holds: no}
	if conjunction {
		result.holds = yes
	}
	for _, p := range parts {
		if conjunction {
			result.holds = and(result.holds, p.holds)
		} else {
			result.holds = or(result.holds, p.holds)
		}
	}
	bad := yes
	if each {
		bad = no
	}
	if result.holds == not(bad) {
		return result // it speaks for the object
	}
	for _, p := range parts {
		if p.holds == not(bad) {
			continue
		}
		if result.holds == bad && p.holds == bad {
			result.against = append(result.against, p.against...)
		}
		result.open = append(result.open, p.open...)
	}
	return result
}

// holds: `each` as in require, where every value must pass; else as in deny, where one is enough.
func (w *world) holds(condition any, each bool) judgement {
	if parts, ok := condition.([]any); ok {
		return gather(w.parts(parts, each), each, true)
	}
	leaf := condition.(map[string]any)
	if parts, ok := leaf["all"]; ok {
		return gather(w.parts(parts.([]any), each), each, true)
	}
	if parts, ok := leaf["any"]; ok {
		return gather(w.parts(parts.([]any), each), each, false)
	}
	if part, ok := leaf["not"]; ok {
		j := w.holds(part, !each)
		j.holds = not(j.holds)
		return j
	}
	if path, ok := leaf["some"]; ok {
		return w.tied(path.(string), leaf["where"], each, false)
	}
	if path, ok := leaf["every"]; ok {
		return w.tied(path.(string), leaf["where"], each, true)
	}
	return w.leaf(leaf, each)
}

func (w *world) parts(conditions []any, each bool) []judgement {
	var out []judgement
	for _, c := range conditions {
		out = append(out, w.holds(c, each))
	}
	return out
}

// some and every tie leaves to the same element. Over no elements some does not hold, and every breaks no rule; of what
// is not there at all neither does.
func (w *world) tied(path string, where any, each, every bool) judgement {
	elements, name, known := w.elements(path)
	if !known {
		return judgement{holds: unknown, open: []evidence{evidenceOf(elements[0])}}
	}
	if len(elements) == 0 {
		if !every && w.hasRoot(path) {
			nothing := judgement{holds: no}
			if each {
				nothing.against = []evidence{{Place: w.placeOf(path), Absent: true}}
			}
			return nothing
		}
		return judgement{holds: truthOf(each)}
	}
	var parts []judgement
	for _, e := range elements {
		inner := *w
		inner.inElement, inner.element, inner.elementPlace, inner.elementPattern = true, e.v, e.place, name
		parts = append(parts, inner.holds(where, each))
	}
	return gather(parts, each, every)
}

// placeOf is where a path leads, also where nothing is.
func (w *world) placeOf(path string) string {
	if w.inElement {
		return below(w.elementPlace, path)
	}
	root, rest, _ := strings.Cut(path, ".")
	switch root {
	case "pod":
		if rest == "containers" {
			rest = "spec.containers"
		}
		return strings.TrimPrefix(w.podPlace+"."+rest, ".")
	case "oldObject", "request", "namespace":
		return path
	case "node", "object":
		return rest
	}
	for _, t := range w.templates {
		if root == "templates[*]" || t.ranks {
			return strings.TrimPrefix(t.place+"."+rest, ".")
		}
	}
	return path
}

// hasRoot: whether there is what the path begins at.
func (w *world) hasRoot(path string) bool {
	root := map[string]any{"pod": w.pod, "node": w.node, "object": w.object, "oldObject": w.oldObject, "request": w.request, "namespace": w.namespace}
	switch name := stepsOf(path)[0].key; {
	case w.inElement:
		return true
	case name == "templates" || name == "ranks":
		for _, t := range w.templates {
			if t.pod != nil && (name == "templates" || t.ranks) {
				return true
			}
		}
		return false
	default:
		return root[name] != nil
	}
}

func (w *world) leaf(leaf map[string]any, each bool) judgement {
	s := w.subjectOf(leaf)
	if s.judge != nil {
		return s.judge(each)
	}
	tests := map[string]any{}
	for word, wanted := range leaf {
		if _, ok := testWords[word]; ok {
			tests[word] = wanted
		}
	}
	if _, ok := tests["agree"]; ok {
		return agreement(s.groups(), each)
	}
	if len(tests) == 0 && s.member == nil {
		tests["exists"] = true
	}
	var parts []judgement
	for _, v := range s.values {
		result := passes
		for word, wanted := range tests {
			result = min(result, passesTest(word, wanted, v, s.isText, w.now))
		}
		if len(tests) == 0 {
			result = s.member(v, each)
		}
		parts = append(parts, judgementOf(v, result, each))
	}
	return gather(parts, each, each)
}

// A value of the wrong type is a broken rule, whichever way the condition is read.
func judgementOf(v value, result outcome, each bool) judgement {
	e := []evidence{evidenceOf(v)}
	switch {
	case result == cannotTell:
		return judgement{holds: unknown, open: e}
	case result == passes || result == wrongType && !each:
		if each {
			return judgement{holds: yes}
		}
		return judgement{holds: yes, against: e}
	}
	if each {
		return judgement{holds: no, against: e}
	}
	return judgement{holds: no}
}

// agree: all values of a group are the same; absence is a value. Two that differ settle it, whatever else is not known.
// What speaks against the object is the values as a set: more containers that say one of them bring nothing in.
func agreement(groups [][]value, each bool) judgement {
	var parts []judgement
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		seen := map[string]bool{}
		open, unbounded := false, false
		for _, v := range group {
			unbounded = unbounded || v.many
			switch {
			case v.unknown:
				open = true
			case v.there && v.hidden && v.v == nil:
				open = true
				seen["+any"] = true
			case v.hidden: // the same key of the same object is the same value
				seen["+from "+textOf(v.v)] = true
			case v.there:
				seen["+is "+textOf(v.v)] = true
			default:
				seen["-"] = true
			}
		}
		j := judgement{holds: yes}
		switch {
		case differ(seen):
			j.holds = no
		case len(seen) > 1, open && len(group) > 1, unbounded:
			j.holds = unknown
		}
		e := []evidence{{Place: "values of " + group[0].since, Value: textOf(words(toAny(sorted(seen))))}}
		switch {
		case j.holds == unknown:
			j.open = e
		case (j.holds == no) == each:
			j.against = e
		}
		parts = append(parts, j)
	}
	if len(parts) == 0 {
		return judgement{holds: truthOf(each)}
	}
	return gather(parts, each, true) // of several variables each must agree
}

// differ: two values that are known, or one that is there and one that is not. What comes from two places may still be
// the same.
func differ(seen map[string]bool) bool {
	known := 0
	for key := range seen {
		if key == "-" || strings.HasPrefix(key, "+is ") {
			known++
		}
	}
	return known > 1 || seen["-"] && len(seen) > 1
}

func toAny(names []string) any {
	out := []any{}
	for _, n := range names {
		out = append(out, n)
	}
	return out
}
