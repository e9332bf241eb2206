package main

import "strings"

type container struct {
	list  string
	place string
	spec  any
}

func containersOf(pod any, place string) []container {
	var out []container
	for _, name := range containerLists {
		for _, c := range list(pod, "spec", name) {
			out = append(out, container{name, element(below(below(place, "spec"), name), text(c, "name")), c})
		}
	}
	return out
}

// accelerators: the resources whose asking makes a pod one that may train.
var accelerators = []string{"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-*", "amd.com/gpu", "google.com/tpu",
	"habana.ai/gaudi", "aws.amazon.com/neuron*", "huawei.com/Ascend*", "gpu.intel.com/*"}

func asksFor(c any, globs []string) bool {
	for _, part := range []string{"limits", "requests"} {
		for name, amount := range mapOf(c, "resources", part) {
			if q, ok := quantity(amount); fitsAny(globs, name) && ok && q.Sign() > 0 {
				return true
			}
		}
	}
	return false
}

// looksAt: only the containers of `of:` and of such names.
func looksAt(c container, leaf map[string]any) bool {
	if globs := leaf["containers"]; globs != nil && !fitsAny(words(globs), text(c.spec, "name")) {
		return false
	}
	switch leaf["of"] {
	case "init":
		return c.list == "initContainers"
	case "ephemeral":
		return c.list == "ephemeralContainers"
	}
	return true
}

// skips: a leaf with `of: ranks` has nothing to say of a template that carries none.
func (w *world) skips(leaf map[string]any) bool { return leaf["of"] == "ranks" && !w.ranks }

func (w *world) envValues(leaf map[string]any) []value {
	if w.podUnknown {
		return []value{{place: "spec.containers", unknown: true}}
	}
	if w.skips(leaf) {
		return nil
	}
	var out []value
	for _, c := range w.envContainers(leaf) {
		out = append(out, envOf(c, leaf["env"])...)
	}
	return out
}

// Containers that ask for an accelerator, or all where none does, or those that the leaf names.
func (w *world) envContainers(leaf map[string]any) []container {
	var all, asking []container
	for _, c := range containersOf(w.pod, w.podPlace) {
		if !looksAt(c, leaf) {
			continue
		}
		all = append(all, c)
		if asksFor(c.spec, accelerators) {
			asking = append(asking, c)
		}
	}
	if leaf["containers"] != nil || leaf["of"] == "init" || leaf["of"] == "ephemeral" || len(asking) == 0 {
		return all
	}
	return asking
}

func envOf(c container, names any) []value {
	var there []value
	at := map[string]string{}
	for _, e := range list(c.spec, "env") {
		name := text(e, "name")
		v := value{place: below(element(below(c.place, "env"), name), "value"), there: true, written: true, v: text(e, "value"), since: name}
		if from := get(e, "valueFrom"); from != nil {
			v.hidden, v.v = true, from
		} else if strings.Contains(text(e, "value"), "$(") {
			v.hidden, v.v = true, nil
		}
		at[v.place] = name
		there = append(there, v)
	}
	for name, v := range commandLine(c) {
		at[v.place] = name
		there = append(there, v)
	}
	from := len(list(c.spec, "envFrom")) > 0
	out := named(names, there, func(v value) string { return at[v.place] }, func(name string) value {
		return value{place: below(element(below(c.place, "env"), name), "value"), unknown: from, from: textOf(list(c.spec, "envFrom")), since: name}
	})
	if _, isList := names.([]any); from && (isList || hasGlob(words(names)[0])) {
		for _, name := range unset(words(names), there) {
			out = append(out, value{place: below(element(below(c.place, "env"), name), "value"), unknown: true})
		}
	}
	return out
}

// unset: what is meant and not set outright, so that envFrom could set it.
func unset(names []string, there []value) []string {
	set := map[string]bool{}
	for _, v := range there {
		set[v.since] = true
	}
	var out []string
	for _, name := range names {
		if hasGlob(name) || !set[name] {
			out = append(out, name)
		}
	}
	return out
}

// commandLine: the simple forms only, `sh -c "export X=v; …"` and `mpirun -x X=v`, no quotes, one setting of a name.
func commandLine(c container) map[string]value {
	out := map[string]value{}
	line := append(words(get(c.spec, "command")), words(get(c.spec, "args"))...)
	if len(line) < 2 || line[0] != "mpirun" && (line[0] != "sh" || line[1] != "-c") {
		return out
	}
	before := ""
	for _, key := range []string{"command", "args"} {
		for i, word := range words(get(c.spec, key)) {
			for _, token := range strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" ;&\n", r) }) {
				if name, set, found := strings.Cut(token, "="); found && (before == "export" || before == "-x") {
					place := element(below(c.place, key)+"["+itoa(i)+"]", name)
					out[name] = value{place: place, there: true, written: true, v: set, since: name}
				}
				before = token
			}
		}
	}
	return out
}
