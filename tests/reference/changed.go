package main

import (
	"sort"
	"strings"
)

// changed: the values that differ between the old object and the new: added, removed or another value. The order of a
// list never counts. An update that changes none of it says that it is not so; before it nothing is compared.
func (w *world) changed(leaf map[string]any) subject {
	s := subject{member: func(v value, _ bool) outcome {
		if v.unchanged {
			return fails
		}
		return passes
	}}
	if text(w.request, "operation") != "UPDATE" || w.oldObject == nil {
		return s
	}
	for _, path := range words(leaf["changed"]) {
		s.values = append(s.values, w.changes(path, leaf)...)
	}
	if len(s.values) == 0 {
		s.values = []value{{place: w.placeOf(words(leaf["changed"])[0]), there: true, written: true, unchanged: true}}
	}
	return s
}

func (w *world) changes(path string, leaf map[string]any) []value {
	before := *w
	before.object, before.node, before.pod = w.oldObject, w.oldObject, w.oldPod()
	now, old := map[string]value{}, map[string]value{}
	places := map[string]bool{}
	for _, v := range w.fieldValues(path) {
		now[v.place], places[v.place] = v, true
	}
	for _, v := range before.fieldValues(path) {
		old[v.place], places[v.place] = v, true
	}
	name := path[strings.LastIndexAny(path, ".]")+1:]
	var out []value
	for _, place := range sorted(places) {
		out = append(out, changesAt(place, name, old[place].asWritten(), now[place].asWritten(), leaf)...)
	}
	return out
}

// oldPod is the pod template of the same place in the old object.
func (w *world) oldPod() any {
	for _, t := range templatesOf(w.set, w.request, w.oldObject) {
		if t.place == w.podPlace {
			return t.pod
		}
	}
	return nil
}

// An empty list or map is none, and what absence means is the same as when it is written.
func (v value) asWritten() any {
	if !v.there || textOf(v.v) == "[]" || textOf(v.v) == "{}" {
		return nil
	}
	return v.v
}

func changesAt(place, listName string, old, now any, leaf map[string]any) []value {
	if textOf(old) == textOf(now) && (old == nil) == (now == nil) {
		return nil
	}
	before, keyed := parts(place, listName, old)
	after, also := parts(place, listName, now)
	if !keyed || !also {
		if sameElements(old, now) {
			return nil
		}
		return []value{changeOf(place, now)}
	}
	names := map[string]part{}
	for name, p := range before {
		names[name] = p
	}
	for name, p := range after {
		names[name] = p
	}
	keys := []string{}
	for name := range names {
		keys = append(keys, name)
	}
	sort.Strings(keys)
	var out []value
	for _, name := range keys {
		p := names[name]
		if !meant(p.names, leaf) {
			continue
		}
		a, was := before[name]
		b, is := after[name]
		if was != is || textOf(a.v) != textOf(b.v) {
			out = append(out, changeOf(p.place, b.v))
		}
	}
	return out
}

func changeOf(place string, now any) value {
	return value{place: place, there: now != nil, written: now != nil, v: now}
}

type part struct {
	place string
	names []string // by which globs may mean it: taints as `key` and `key:Effect`
	v     any
}

// parts of a map or of a list whose elements have a key; what is not there has none.
func parts(place, listName string, v any) (map[string]part, bool) {
	out := map[string]part{}
	switch t := v.(type) {
	case nil:
		return out, true
	case map[string]any:
		for key, item := range t {
			out[key] = part{below(place, key), []string{key}, item}
		}
		return out, true
	case []any:
		by := mergeKeys[listName]
		if by == "" {
			return nil, false
		}
		for _, item := range t {
			key := text(item, by)
			names := []string{key}
			if listName == "taints" {
				key += ":" + text(item, "effect")
				names = append(names, key)
			}
			out[key] = part{element(place, key), names, item}
		}
		return out, true
	}
	return nil, false
}

// What Kubernetes itself manages counts only where a glob of `keys` begins with that whole prefix.
var managed = []string{"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"}

func meant(names []string, leaf map[string]any) bool {
	globs := words(leaf["keys"])
	for _, prefix := range managed {
		if strings.HasPrefix(names[0], prefix) {
			var outright []string
			for _, glob := range globs {
				if strings.HasPrefix(glob, prefix) {
					outright = append(outright, glob)
				}
			}
			if len(outright) == 0 {
				return false
			}
			globs = outright
		}
	}
	in := leaf["keys"] == nil
	for _, name := range names {
		in = in || fitsAny(globs, name)
	}
	for _, name := range names {
		in = in && !fitsAny(words(leaf["notKeys"]), name)
	}
	return in
}

func sameElements(a, b any) bool {
	x, ok := a.([]any)
	y, also := b.([]any)
	if !ok || !also || len(x) != len(y) {
		return false
	}
	var left, right []string
	for i := range x {
		left, right = append(left, textOf(x[i])), append(right, textOf(y[i]))
	}
	sort.Strings(left)
	sort.Strings(right)
	return strings.Join(left, "\x00") == strings.Join(right, "\x00")
}
