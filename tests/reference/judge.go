package main

import "strings"

// verdict is what the gate says to a request. Of each rule `b` broken, `k` kept, `u` unknown, `-` not looked at.
type verdict struct {
	Rules map[string]string `json:"rules"`
	told
	Evidence map[string][]evidence `json:"evidence"`
	// What is no single rule's matter (the pod fits no node, the inventory is stale, the node is not there), and what
	// the rules that meet it would say. One of them tells it, as the strongest of them does; which one is not said.
	Shared map[string]*told `json:"shared"`
	// Those of the refused that close all nodes only together.
	Together []string `json:"together"`
	// Rules of which, in an update, something is broken and something can't be told, so that the two must be kept apart.
	Mixed []string `json:"mixed"`
	// Rules with `agree` that an update finds broken before and after.
	Disagreed []string `json:"disagreed"`
}

// told is which rules speak, and to whom.
type told struct {
	Refused  []string `json:"refused"`
	Warned   []string `json:"warned"`
	Audited  []string `json:"audited"`
	Exempted []string `json:"exempted"`
	Notes    []string `json:"notes"`
}

type judging struct {
	*world
	v    *verdict
	kept []keptRule // of enforce, about nodes, neither broken alone nor lifted
}

// heard is what a rule says of the templates that no exemption lifts it for, and of the others.
type heard struct{ open, lifted judgement }

func judge(set *policySet, c *testCase, request any) *verdict {
	v := &verdict{Rules: map[string]string{}, Evidence: map[string][]evidence{}, Shared: map[string]*told{}}
	w := worldOf(set, c, request)
	for _, p := range set.policies {
		for _, r := range p.rules {
			v.Rules[r.id] = "-"
		}
	}
	if !w.isJudged() {
		return v
	}
	j := &judging{world: w, v: v}
	for _, p := range set.policies {
		for _, r := range p.rules {
			j.rule(r)
		}
	}
	j.together()
	return v
}

func worldOf(set *policySet, c *testCase, request any) *world {
	w := &world{c: c, set: set, request: request, now: c.Now, oldObject: get(request, "oldObject"), object: get(request, "object")}
	if mapOf(w.object) == nil {
		w.object = w.oldObject
	}
	for _, n := range c.Namespaces {
		if text(n, "metadata", "name") == w.ns() && w.ns() != "" {
			w.namespace = n
		}
	}
	if isNodes(request) {
		w.node = w.object
	}
	if carriesNoPod(request) {
		w.asked = w.podAskedOf()
		w.podUnknown = w.asked == nil
		if !w.podUnknown {
			w.templates = []template{{pod: w.asked, ranks: true, replicas: 1}}
		}
		return w
	}
	w.templates = templatesOf(set, request, w.object)
	return w
}

// carriesNoPod: requests about a pod that do not have it.
func carriesNoPod(request any) bool {
	subs := []string{"exec", "attach", "portforward", "proxy", "eviction"}
	return isPods(request) && contains(subs, text(request, "subResource"))
}

// isJudged: a mirror pod is its own node's matter, and what is on its way out may let go of its metadata.
func (w *world) isJudged() bool {
	user := get(w.request, "userInfo")
	mirror := get(w.object, "metadata", "annotations", "kubernetes.io/config.mirror") != nil
	node := text(w.object, "spec", "nodeName")
	if isPods(w.request) && mirror && node != "" && text(user, "username") == "system:node:"+node && contains(words(get(user, "groups")), "system:nodes") {
		return false
	}
	leaving := get(w.oldObject, "metadata", "deletionTimestamp") != nil
	if text(w.request, "operation") == "UPDATE" && leaving && textOf(get(w.object, "spec")) == textOf(get(w.oldObject, "spec")) {
		return false
	}
	return true
}

// of is the world with this pod template as the one that is judged.
func (w *world) of(t template) *world {
	inner := *w
	inner.pod, inner.podPlace, inner.ranks = t.pod, t.place, t.ranks
	inner.settled = t.pod != nil && w.settles(t)
	return &inner
}

func (j *judging) rule(r *rule) {
	if r.verb == "avoidNodes" {
		j.placement(r)
		return
	}
	looks, result := no, judgement{holds: no}
	said := heard{judgement{holds: no}, judgement{holds: no}}
	ratchet := text(j.request, "operation") == "UPDATE" && r.word("onUpdate", "changes") == "changes"
	pods := j.templates
	if r.aboutNode || len(pods) == 0 {
		pods = []template{{}}
	}
	for _, t := range pods {
		w := j.of(t)
		if r.aboutNode {
			w.aboutNode = true
		}
		w.settled = w.settled && !j.leftToDaemonSets(r) // canLandOn is about placement too
		fit := w.looksAt(r)
		looks = or(looks, fit)
		if fit == no {
			continue
		}
		found := w.broken(r)
		if ratchet {
			now, before := found, j.before(r)
			found = broughtIn(now, before)
			if textOf(get(j.request, "object")) == textOf(get(j.request, "oldObject")) {
				found = judgement{holds: no}
			}
			if now.holds == unknown && before.holds == yes || now.holds == yes && found.holds == unknown {
				j.v.Mixed = append(j.v.Mixed, r.id)
			}
			if now.holds != no && before.holds != no && strings.Contains(textOf(r.condition), `"agree"`) {
				j.v.Disagreed = append(j.v.Disagreed, r.id)
			}
		}
		result = worse(result, found)
		if w.exempts(r) {
			said.lifted = worse(said.lifted, found)
		} else {
			said.open = worse(said.open, found)
		}
	}
	if looks == no {
		return
	}
	j.v.Rules[r.id] = result.holds.letter()
	switch result.holds {
	case yes:
		j.v.Evidence[r.id] = result.against
	case unknown:
		j.v.Evidence[r.id] = result.open
	}
	// An exemption lets nothing through where another template is refused.
	if !j.content(r, said.open, false) {
		j.content(r, said.lifted, true)
	}
}

// content tells what a rule found, and says whether that is one that counts as broken.
func (j *judging) content(r *rule, found judgement, lifted bool) bool {
	meaning := "allow"
	switch found.holds {
	case yes:
		meaning = "deny"
	case unknown:
		meaning = r.word("onUnknown", j.unlessStrange(found.open))
	}
	meansIn(&j.v.told, r, meaning, lifted)
	return meaning == "deny"
}

// unlessStrange: what an unknown value means, but for a pod that is bound or pinned to a node that is not known.
func (j *judging) unlessStrange(open []evidence) string {
	for _, e := range open {
		if !j.podUnknown && (strings.HasSuffix(e.Place, "spec.nodeName") || j.isPinnedSpec(e.Place)) {
			return "deny"
		}
	}
	return "warn"
}

// isPinnedSpec: whether the place is the spec of a pod with a node's name, which is where canLandOn looks.
func (j *judging) isPinnedSpec(place string) bool {
	for _, t := range append([]template{{pod: j.pod, place: j.podPlace}}, j.templates...) {
		if below(t.place, "spec") == place && text(t.pod, "spec", "nodeName") != "" {
			return true
		}
	}
	return false
}

// broken: require is deny of the opposite, read so that each value must pass.
func (w *world) broken(r *rule) judgement {
	if r.verb == "require" {
		result := w.holds(r.condition, true)
		result.holds = not(result.holds)
		return result
	}
	return w.holds(r.condition, false)
}

func worse(a, b judgement) judgement {
	return judgement{or(a.holds, b.holds), append(a.against, b.against...), append(a.open, b.open...)}
}

// before is what the rule says of the old object: every pod template, whether or not the policy looked at it then.
func (j *judging) before(r *rule) judgement {
	w := *j.world
	w.object, w.oldObject = w.oldObject, nil
	w.templates = templatesOf(w.set, w.request, w.object)
	if r.aboutNode {
		w.node, w.aboutNode = w.object, true
		return w.broken(r)
	}
	result := judgement{holds: no}
	pods := w.templates
	if len(pods) == 0 {
		pods = []template{{}}
	}
	for _, t := range pods {
		inner := w.of(t)
		inner.settled = t.pod != nil && j.world.hadSettled(t) && j.world.settlesAt(t.place) && !j.leftToDaemonSets(r)
		result = worse(result, inner.broken(r))
	}
	return result
}

// settlesAt: whether the request settles the placement of the template there. What it does not judge now it compares with
// nothing.
func (w *world) settlesAt(place string) bool {
	for _, t := range w.templates {
		if t.place == place {
			return w.settles(t)
		}
	}
	return false
}

// hadSettled: whether placement was judged of the old object. What was gated or suspended had none yet.
func (w *world) hadSettled(t template) bool {
	if isPods(w.request) {
		return !isGated(t.pod)
	}
	row := workloadOf(w.set, w.request)
	return row != nil && !isSuspended(row, w.oldObject) && !isGated(t.pod)
}

// broughtIn: a rule is broken only by evidence that the old object did not have; and what could not be told before is
// not held against the change either.
// Who asks, and what was before, is new each time, and counts where nothing in the object speaks against it.
func broughtIn(now, before judgement) judgement {
	result := judgement{holds: no}
	if now.holds == yes {
		old := []evidence{}
		if before.holds == yes {
			old = before.against
		}
		var ofObject []evidence
		for _, e := range now.against {
			if e.Place != "request" && !strings.HasPrefix(e.Place, "request.") && !strings.HasPrefix(e.Place, "oldObject") {
				ofObject = append(ofObject, e)
			}
		}
		result.against = without(ofObject, old)
		if len(ofObject) == 0 {
			result.against = now.against
		}
	}
	if now.holds != no && before.holds != no {
		result.open = without(now.open, before.open)
	} else if now.holds != no {
		result.open = now.open
	}
	switch {
	case len(result.against) > 0:
		result.holds = yes
	case len(result.open) > 0:
		result.holds = unknown
	}
	return result
}

func without(these, those []evidence) []evidence {
	had := map[evidence]bool{}
	for _, e := range those {
		had[e] = true
	}
	var out []evidence
	for _, e := range these {
		if !had[e] {
			out = append(out, e)
		}
	}
	return out
}
