package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

// truth has a third answer. In this order `and` is the least and `or` the greatest.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func not(t truth) truth        { return yes - t }
func and(a, b truth) truth     { return min(a, b) }
func or(a, b truth) truth      { return max(a, b) }
func (t truth) letter() string { return [...]string{"k", "u", "b"}[t] }

// value is one thing that a subject has to say.
type value struct {
	place   string
	unknown bool // nothing is known of it, not even whether it is there
	hidden  bool // it is there; what it is, is not known
	many    bool // nor how many there are
	there   bool
	written bool // not so a value that absence stands for
	v       any
	from    string // what is not known comes of this, so that it is the same wherever that is
	amount  bool   // the API says that it is a quantity
	since   string // of conditions: lastTransitionTime
	// Of `changed`: nothing is.
	unchanged bool
}

// A place and a value. What is missing has its place only.
type evidence struct {
	Place  string
	Value  string
	Absent bool
}

func (e evidence) MarshalJSON() ([]byte, error) {
	if e.Absent {
		return mustMarshal([]any{e.Place, nil}), nil
	}
	return mustMarshal([]any{e.Place, e.Value}), nil
}

func evidenceOf(v value) evidence {
	// A value that absence stands for is missing: it has its place only.
	if !v.written || v.unknown {
		return evidence{Place: v.place, Absent: true}
	}
	if v.hidden {
		return evidence{Place: v.place}
	}
	return evidence{Place: v.place, Value: textOf(v.v)}
}

// textOf is a value as it stands in the object, without quotes.
func textOf(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case json.Number:
		return t.String()
	case nil:
		return ""
	}
	return string(mustMarshal(v))
}

func get(v any, keys ...string) any {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func text(v any, keys ...string) string {
	s, _ := get(v, keys...).(string)
	return s
}

func flag(v any, keys ...string) bool {
	b, _ := get(v, keys...).(bool)
	return b
}

func list(v any, keys ...string) []any {
	l, _ := get(v, keys...).([]any)
	return l
}

func mapOf(v any, keys ...string) map[string]any {
	m, _ := get(v, keys...).(map[string]any)
	return m
}

// words is a word or a list of words.
func words(v any) []string {
	switch t := v.(type) {
	case nil:
		return nil
	case []any:
		out := []string{}
		for _, item := range t {
			out = append(out, textOf(item))
		}
		return out
	}
	return []string{textOf(v)}
}

// fits: `*` is any run of characters, `/` included; nothing else is special.
func fits(glob, name string) bool {
	if glob == "" {
		return name == ""
	}
	if glob[0] == '*' {
		return fits(glob[1:], name) || (name != "" && fits(glob, name[1:]))
	}
	return name != "" && glob[0] == name[0] && fits(glob[1:], name[1:])
}

func fitsAny(globs []string, name string) bool {
	for _, glob := range globs {
		if fits(glob, name) {
			return true
		}
	}
	return false
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// below is the place of a key in the map at `place`.
func below(place, key string) string {
	switch {
	case !plain.MatchString(key):
		return place + `["` + key + `"]`
	case place == "":
		return key
	}
	return place + "." + key
}

func element(place, key string) string { return place + `["` + key + `"]` }

func contains(list []string, word string) bool {
	for _, item := range list {
		if item == word {
			return true
		}
	}
	return false
}

func hasGlob(word string) bool { return strings.Contains(word, "*") }
