package main

import (
	"encoding/json"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	kjson "sigs.k8s.io/json"
)

// subject is what a leaf is about: its values, and what a leaf without tests asks of them.
type subject struct {
	values []value
	isText bool
	// Of valued subjects without a test: whether a value is among the words; nil: the leaf means `exists: true`.
	member func(v value, each bool) outcome
	judge  func(each bool) judgement // the leaf as a whole, where it has no values
	sets   [][]value                 // for `agree`, where not all values are one group
}

func (s subject) groups() [][]value {
	if s.sets != nil {
		return s.sets
	}
	if len(s.values) == 0 {
		return nil
	}
	return [][]value{s.values}
}

func (w *world) subjectOf(leaf map[string]any) subject {
	switch {
	case leaf["field"] != nil:
		return subject{values: w.fieldValues(leaf["field"].(string))}
	case leaf["label"] != nil:
		return subject{values: w.metadata("labels", leaf["label"], leaf["of"]), isText: true}
	case leaf["annotation"] != nil:
		return subject{values: w.metadata("annotations", leaf["annotation"], leaf["of"]), isText: true}
	case leaf["env"] != nil:
		return subject{values: w.envValues(leaf), isText: true}
	case leaf["rankEnv"] != nil:
		return w.rankEnv(words(leaf["rankEnv"]))
	case leaf["resource"] != nil:
		return subject{values: w.resources(leaf)}
	case leaf["taint"] != nil:
		return subject{values: w.taints(leaf["taint"]), isText: true}
	case leaf["condition"] != nil:
		return subject{values: w.conditions(leaf["condition"]), isText: true}
	case leaf["fact"] != nil:
		return subject{values: w.facts("", textOf(leaf["fact"])), isText: true}
	case leaf["sysctl"] != nil && w.aboutNode:
		return subject{values: w.facts("sysctl:", textOf(leaf["sysctl"])), isText: true}
	case leaf["sysctl"] != nil:
		return w.picked(leaf, "sysctl", w.sysctls())
	case leaf["image"] != nil:
		return w.picked(leaf, "image", w.images(leaf))
	case leaf["hostPath"] != nil:
		return w.picked(leaf, "hostPath", w.hostPaths(leaf["readOnly"]))
	case leaf["capability"] != nil:
		return w.picked(leaf, "capability", w.capabilities(leaf))
	case leaf["hostNamespace"] != nil:
		return w.picked(leaf, "hostNamespace", w.hostNamespaces())
	case leaf["privileged"] != nil:
		return w.privileged(leaf)
	case leaf["changed"] != nil:
		return w.changed(leaf)
	case leaf["requestedBy"] != nil:
		user := text(w.request, "userInfo", "username")
		v := value{place: "request.userInfo", there: true, written: true, v: user}
		asks := requester(leaf["requestedBy"], w)
		return subject{values: []value{v}, member: func(value, bool) outcome {
			return [...]outcome{fails, cannotTell, passes}[asks]
		}}
	case leaf["canLandOn"] != nil:
		return w.canLandOn(leaf["canLandOn"])
	case leaf["onNode"] != nil:
		return w.onNode(leaf["onNode"])
	case leaf["drift"] != nil:
		return subject{values: []value{{place: "drift", unknown: true}}, member: func(value, bool) outcome { return cannotTell }}
	}
	panic("a leaf without a subject: " + textOf(leaf))
}

// named: one name is one thing, there or not; of a list of names, or of globs, each that is there is a value.
func named(names any, there []value, nameOf func(value) string, absent func(string) value) []value {
	globs := words(names)
	_, isList := names.([]any)
	var out []value
	for _, v := range there {
		if fitsAny(globs, nameOf(v)) {
			out = append(out, v)
		}
	}
	if len(out) == 0 && !isList && !hasGlob(globs[0]) {
		out = append(out, absent(globs[0]))
	}
	return out
}

// ---- labels and annotations

func (w *world) metadata(which string, names, of any) []value {
	object, place := w.pod, w.podPlace
	switch {
	case of == "namespace":
		if w.ns() != "" && w.namespace == nil {
			return namedUnknown(names, "namespace.metadata."+which)
		}
		object, place = w.namespace, "namespace"
	case of == "object":
		object, place = w.object, ""
	case w.aboutNode:
		if w.nodeUnknown {
			return namedUnknown(names, "metadata."+which)
		}
		object, place = w.node, ""
	case w.podUnknown:
		return namedUnknown(names, "metadata."+which)
	case w.pod == nil:
		return nil // an object without pods
	}
	base := below(below(place, "metadata"), which)
	var there []value
	for key, v := range mapOf(object, "metadata", which) {
		if v == nil {
			continue
		}
		there = append(there, value{place: below(base, key), there: true, written: true, v: v, since: key})
	}
	return named(names, there, func(v value) string { return v.since },
		func(name string) value { return value{place: below(base, name)} })
}

func namedUnknown(names any, base string) []value {
	return []value{{place: below(base, words(names)[0]), unknown: true}}
}

// ---- nodes

func (w *world) taints(wanted any) []value {
	if w.nodeUnknown {
		return []value{{place: "spec.taints", unknown: true}}
	}
	names, only, effect := wanted, any(nil), ""
	if m, ok := wanted.(map[string]any); ok {
		names, only, effect = m["key"], m["value"], text(m, "effect")
	}
	anyKey := names == nil
	var there []value
	for _, t := range list(w.node, "spec", "taints") {
		v := value{place: element("spec.taints", text(t, "key")+":"+text(t, "effect")), there: true, written: true, v: text(t, "value"), since: text(t, "key")}
		if (only == nil || textOf(only) == v.v) && (effect == "" || effect == text(t, "effect")) {
			there = append(there, v)
		}
	}
	if anyKey {
		if len(there) == 0 {
			return []value{{place: element("spec.taints", strings.TrimSuffix("*:"+effect, ":"))}}
		}
		return there
	}
	return named(names, there, func(v value) string { return v.since },
		func(name string) value {
			if effect != "" {
				name += ":" + effect
			}
			return value{place: element("spec.taints", name)}
		})
}

func (w *world) conditions(names any) []value {
	if w.nodeUnknown {
		return []value{{place: "status.conditions", unknown: true}}
	}
	var there []value
	types := map[string]string{}
	for _, c := range list(w.node, "status", "conditions") {
		place := element("status.conditions", text(c, "type"))
		types[place] = text(c, "type")
		there = append(there, value{place: place, there: true, written: true, v: text(c, "status"), since: text(c, "lastTransitionTime")})
	}
	return named(names, there, func(v value) string { return types[v.place] },
		func(name string) value { return value{place: element("status.conditions", name)} })
}

// facts: what the agent wrote on the node. A key that is missing there is absent; without the annotation every fact is
// unknown.
func (w *world) facts(prefix, name string) []value {
	v := value{place: element(element("metadata.annotations", "driftbar.io/facts"), prefix+name)}
	written, ok := get(w.node, "metadata", "annotations", "driftbar.io/facts").(string)
	var facts map[string]any
	decoder := json.NewDecoder(strings.NewReader(written))
	decoder.UseNumber()
	if w.nodeUnknown || !ok || decoder.Decode(&facts) != nil {
		v.unknown = true
		return []value{v}
	}
	if fact, ok := facts[prefix+name]; ok && fact != nil {
		v.there, v.written, v.v = true, true, textOf(fact)
	}
	return []value{v}
}

// ---- resources

func podSpecOf(pod any) *v1.Pod {
	out := &v1.Pod{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(mustMarshal(map[string]any{"spec": get(pod, "spec")}), out); err != nil {
		panic(err)
	}
	// A limit stands for a request that is absent (pkg/apis/core/v1/defaults.go).
	for _, containers := range [][]v1.Container{out.Spec.InitContainers, out.Spec.Containers} {
		for i := range containers {
			requests := v1.ResourceList{}
			for name, amount := range containers[i].Resources.Limits {
				requests[name] = amount
			}
			for name, amount := range containers[i].Resources.Requests {
				requests[name] = amount
			}
			containers[i].Resources.Requests = requests
		}
	}
	return out
}

func (w *world) requestsPlace() string {
	return below(w.podPlace, "spec") + ".containers[*].resources.requests"
}

func (w *world) resources(leaf map[string]any) []value {
	if w.podUnknown {
		return []value{{place: "resources", unknown: true}}
	}
	if w.skips(leaf) || w.pod == nil {
		return nil
	}
	names := leaf["resource"]
	asked := resourcehelper.PodRequests(podSpecOf(w.pod), resourcehelper.PodResourcesOptions{})
	var there []value
	at := map[string]string{}
	for name, amount := range asked {
		if amount.Sign() <= 0 {
			continue
		}
		v := value{place: below(w.requestsPlace(), string(name)), there: true, written: true, v: amount.String(), amount: true}
		at[v.place] = string(name)
		there = append(there, v)
	}
	return named(names, there, func(v value) string { return at[v.place] }, func(name string) value {
		return value{place: below(w.requestsPlace(), name), there: true, v: json.Number("0"), amount: true}
	})
}

// ---- valued subjects

// picked: without a test the words ask of each value whether it is among them; with one they pick the values that the
// tests look at.
func (w *world) picked(leaf map[string]any, word string, all []value) subject {
	if w.podUnknown {
		return subject{values: []value{{place: "spec", unknown: true}}, member: func(value, bool) outcome { return cannotTell }}
	}
	if w.skips(leaf) {
		all = nil
	}
	globs := words(leaf[word])
	among := func(v value, each bool) outcome {
		name := nameOf(v)
		for _, glob := range globs {
			switch {
			case word == "sysctl" && glob == "unsafe":
				if !contains(safeSysctls(), name) {
					return passes
				}
			case word == "capability" && name == "ALL" && !each: // it counts as every name, so as one that is meant
				return passes
			case fits(glob, name):
				return passes
			}
		}
		return fails
	}
	for test := range leaf {
		if _, ok := testWords[test]; !ok {
			continue
		}
		var some []value
		for _, v := range all {
			if among(v, false) == passes {
				some = append(some, v)
			}
		}
		return subject{values: some, isText: true}
	}
	return subject{values: all, isText: true, member: among}
}

func nameOf(v value) string {
	if v.since != "" {
		return v.since
	}
	return textOf(v.v)
}

func (w *world) images(leaf map[string]any) []value {
	var out []value
	for _, c := range containersOf(w.pod, w.podPlace) {
		if looksAt(c, leaf) {
			out = append(out, value{place: below(c.place, "image"), there: true, written: true, v: text(c.spec, "image")})
		}
	}
	return out
}

func (w *world) hostPaths(readOnly any) []value {
	var out []value
	for _, volume := range list(w.pod, "spec", "volumes") {
		_, ok := get(volume, "hostPath").(map[string]any)
		path, _ := get(volume, "hostPath", "path").(string)
		if !ok || readOnly == false && !mountedForWriting(w.pod, text(volume, "name")) {
			continue
		}
		place := below(below(element(below(below(w.podPlace, "spec"), "volumes"), text(volume, "name")), "hostPath"), "path")
		out = append(out, value{place: place, there: true, written: true, v: path})
	}
	return out
}

func mountedForWriting(pod any, volume string) bool {
	for _, c := range containersOf(pod, "") {
		for _, mount := range list(c.spec, "volumeMounts") {
			if text(mount, "name") == volume && !flag(mount, "readOnly") {
				return true
			}
		}
	}
	return false
}

func (w *world) capabilities(leaf map[string]any) []value {
	var out []value
	for _, c := range containersOf(w.pod, w.podPlace) {
		if !looksAt(c, leaf) {
			continue
		}
		place := below(below(below(c.place, "securityContext"), "capabilities"), "add")
		for _, name := range list(c.spec, "securityContext", "capabilities", "add") {
			out = append(out, value{place: element(place, textOf(name)), there: true, written: true, v: textOf(name)})
		}
	}
	return out
}

func (w *world) sysctls() []value {
	var out []value
	for _, s := range list(w.pod, "spec", "securityContext", "sysctls") {
		place := below(element(below(below(below(w.podPlace, "spec"), "securityContext"), "sysctls"), text(s, "name")), "value")
		out = append(out, value{place: place, there: true, written: true, v: text(s, "value"), since: text(s, "name")})
	}
	return out
}

func (w *world) hostNamespaces() []value {
	var out []value
	for _, ns := range [][2]string{{"pid", "hostPID"}, {"ipc", "hostIPC"}, {"network", "hostNetwork"}} {
		if flag(w.pod, "spec", ns[1]) {
			out = append(out, value{place: below(below(w.podPlace, "spec"), ns[1]), there: true, written: true, v: ns[0]})
		}
	}
	return out
}

func (w *world) privileged(leaf map[string]any) subject {
	if w.podUnknown {
		return subject{values: []value{{place: "spec", unknown: true}}, member: func(value, bool) outcome { return cannotTell }}
	}
	var values []value
	for _, c := range containersOf(w.pod, w.podPlace) {
		if !looksAt(c, leaf) || w.skips(leaf) {
			continue
		}
		written := get(c.spec, "securityContext", "privileged")
		v := value{place: below(below(c.place, "securityContext"), "privileged"), there: true, written: true, v: written == true}
		values = append(values, v)
	}
	return subject{values: values, member: func(v value, each bool) outcome {
		return outcomeOf(v.v == leaf["privileged"])
	}}
}
