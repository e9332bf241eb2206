package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// What a test says of a value. In this order several tests of one leaf say the least of it, for a value passes
// where every test does.
type outcome int

const (
	fails outcome = iota
	wrongType
	cannotTell
	passes
)

func outcomeOf(b bool) outcome {
	if b {
		return passes
	}
	return fails
}

// The tests, and which of them hold of an absent value.
var testWords = map[string]bool{
	"exists": false, "equals": false, "notEquals": true, "in": false, "notIn": true, "matches": false,
	"notMatches": true, "startsWith": false, "endsWith": false, "contains": false, "atLeast": false, "atMost": false,
	"moreThan": false, "lessThan": false, "version": false, "for": false, "agree": false,
}

// passesTest: `isText` of subjects whose values are text, so that what stands beside the test is text too.
func passesTest(test string, wanted any, v value, isText bool, now time.Time) outcome {
	if v.unknown {
		return cannotTell
	}
	if test == "exists" {
		return outcomeOf(v.written == (wanted == true))
	}
	if v.hidden {
		return cannotTell
	}
	negative := testWords[test]
	if !v.there {
		return outcomeOf(negative)
	}
	switch test {
	case "equals", "notEquals", "in", "notIn":
		if isStructured(v.v) {
			return wrongType
		}
		return outcomeOf(isOneOf(v, wanted, isText) != negative)
	case "atLeast", "atMost", "moreThan", "lessThan":
		left, ok := quantity(v.v)
		if !ok {
			return wrongType
		}
		right, _ := quantity(wanted)
		return outcomeOf(ordered(test, left.Cmp(right)))
	case "for":
		return lasts(v.since, textOf(wanted), now)
	}
	if l, ok := v.v.([]any); ok && test == "contains" {
		for _, item := range l {
			if s, ok := item.(string); ok && strings.Contains(s, textOf(wanted)) {
				return passes
			}
		}
		return fails
	}
	s, ok := v.v.(string)
	if n, isNumber := v.v.(json.Number); isNumber && test == "version" {
		s, ok = n.String(), true // 5 is the version 5
	}
	if !ok {
		return wrongType
	}
	switch test {
	case "contains":
		return outcomeOf(strings.Contains(s, textOf(wanted)))
	case "startsWith":
		return outcomeOf(strings.HasPrefix(s, textOf(wanted)))
	case "endsWith":
		return outcomeOf(strings.HasSuffix(s, textOf(wanted)))
	case "matches", "notMatches":
		return outcomeOf(wholeMatch(textOf(wanted), s) != negative)
	case "version":
		version, ok := versionOf(s)
		if !ok {
			return wrongType
		}
		return outcomeOf(within(version, textOf(wanted)))
	}
	panic("a test " + test)
}

func isStructured(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

func isOneOf(v value, wanted any, isText bool) bool {
	candidates, ok := wanted.([]any)
	if !ok {
		candidates = []any{wanted}
	}
	for _, one := range candidates {
		if equal(v, one, isText) {
			return true
		}
	}
	return false
}

// A number equals by value whatever it is written as, and so does what the API has as a quantity; all else as it is
// written.
func equal(is value, wanted any, isText bool) bool {
	v := is.v
	_, n := v.(json.Number)
	_, m := wanted.(json.Number)
	if !isText && (n || m || is.amount) {
		a, ok := quantity(v)
		b, also := quantity(wanted)
		return ok && also && a.Cmp(b) == 0
	}
	return textOf(v) == textOf(wanted)
}

// quantity: numbers and Kubernetes quantities by value; text that is a quantity counts as one.
func quantity(v any) (resource.Quantity, bool) {
	switch v.(type) {
	case string, json.Number:
		q, err := resource.ParseQuantity(textOf(v))
		return q, err == nil
	}
	return resource.Quantity{}, false
}

func ordered(test string, compared int) bool {
	switch test {
	case "atLeast":
		return compared >= 0
	case "atMost":
		return compared <= 0
	case "moreThan":
		return compared > 0
	}
	return compared < 0
}

func lasts(since, wanted string, now time.Time) outcome {
	from, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return cannotTell
	}
	duration, err := time.ParseDuration(wanted)
	if err != nil {
		panic(err)
	}
	return outcomeOf(now.Sub(from) >= duration)
}

var expressions = map[string]*regexp.Regexp{}

func wholeMatch(expression, s string) bool {
	re := expressions[expression]
	if re == nil {
		re = regexp.MustCompile(`(?s)\A(?:` + expression + `)\z`)
		expressions[expression] = re
	}
	return re.MatchString(s)
}

// versionOf: dotted numbers, a `v` before and what follows -, +, _ or ~ left out.
func versionOf(s string) ([8]uint64, bool) {
	var out [8]uint64
	s = strings.TrimPrefix(s, "v")
	if cut := strings.IndexAny(s, "-+_~"); cut >= 0 {
		s = s[:cut]
	}
	parts := strings.Split(s, ".")
	if len(parts) > len(out) {
		return out, false
	}
	for i, part := range parts {
		number, err := strconv.ParseUint(part, 10, 64)
		if err != nil || strings.HasPrefix(part, "+") {
			return out, false
		}
		out[i] = number
	}
	return out, true
}

func within(version [8]uint64, bounds string) bool {
	for _, bound := range strings.Fields(bounds) {
		op := strings.TrimRight(bound, "v0123456789.")
		wanted, ok := versionOf(strings.TrimPrefix(bound, op))
		if !ok {
			panic("a version " + bound)
		}
		compared := compareVersions(version, wanted)
		holds := map[string]bool{">=": compared >= 0, "<=": compared <= 0, ">": compared > 0, "<": compared < 0,
			"=": compared == 0, "!=": compared != 0}
		if !holds[op] {
			return false
		}
	}
	return true
}

func compareVersions(a, b [8]uint64) int {
	for i := range a {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}
