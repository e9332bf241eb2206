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
	kept []keptRule // of enforce, about nodes, not broken alone
}

type keptRule struct {
	rule   *rule
	survey survey
}

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
		w.podUnknown = true // nothing has been looked up
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
	}
	if looks == no {
		return
	}
	j.v.Rules[r.id] = result.holds.letter()
	switch result.holds {
	case yes:
		j.v.Evidence[r.id] = result.against
		j.tell(r)
	case unknown:
		j.v.Evidence[r.id] = result.open
		j.tellUnknown(r, j.unlessStrange(result.open))
	}
}

// unlessStrange: what an unknown value means, but for a pod that is bound or pinned to a node that is not known.
func (j *judging) unlessStrange(open []evidence) string {
	for _, e := range open {
		if !j.podUnknown && strings.HasSuffix(e.Place, "spec.nodeName") {
			return "deny"
		}
	}
	return "warn"
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
	w.object = w.oldObject
	w.templates = templatesOf(w.set, w.request, w.oldObject)
	if r.aboutNode {
		w.node, w.aboutNode = w.oldObject, true
		return w.broken(r)
	}
	result := judgement{holds: no}
	pods := w.templates
	if len(pods) == 0 {
		pods = []template{{}}
	}
	for _, t := range pods {
		inner := w.of(t)
		inner.settled = t.pod != nil && w.hadSettled(t)
		result = worse(result, inner.broken(r))
	}
	return result
}

// hadSettled: whether placement was judged of the old object. What was gated or suspended had none yet.
func (w *world) hadSettled(t template) bool {
	if isPods(w.request) {
		return !isGated(t.pod)
	}
	row := workloadOf(w.set, w.request)
	return row != nil && !isSuspended(row, w.oldObject)
}

// broughtIn: a rule is broken only by evidence that the old object did not have; and what could not be told before is
// not held against the change either.
// Who asks is new each time, and counts where nothing in the object speaks against it.
func broughtIn(now, before judgement) judgement {
	result := judgement{holds: no}
	if now.holds == yes {
		old := []evidence{}
		if before.holds == yes {
			old = before.against
		}
		var ofObject []evidence
		for _, e := range now.against {
			if e.Place != "request" && !strings.HasPrefix(e.Place, "request.") {
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

// ---- where a finding goes

func (j *judging) tell(r *rule) { j.tellIn(&j.v.told, r) }

func (j *judging) tellIn(t *told, r *rule) {
	list := map[string]*[]string{"enforce": &t.Refused, "warn": &t.Warned, "audit": &t.Audited}[r.mode]
	if j.exempts(r) {
		list = &t.Exempted
	}
	*list = append(*list, r.id)
}

func (j *judging) tellUnknown(r *rule, otherwise string) {
	j.unknownIn(&j.v.told, r, r.word("onUnknown", otherwise))
}

func (j *judging) unknownIn(t *told, r *rule, meaning string) {
	switch meaning {
	case "deny":
		j.tellIn(t, r)
	case "warn":
		noteIn(t, r)
	}
}

func (j *judging) note(r *rule) { noteIn(&j.v.told, r) }

// What is audited is recorded only, so that people are told nothing.
func noteIn(t *told, r *rule) {
	if r.mode != "audit" {
		t.Notes = append(t.Notes, r.id)
	}
}

func (j *judging) shared(matter string) *told {
	if j.v.Shared[matter] == nil {
		j.v.Shared[matter] = &told{}
	}
	return j.v.Shared[matter]
}

func (w *world) exempts(r *rule) bool {
	for _, e := range w.set.exemptions {
		if !w.now.Before(e.ends) || !fitsAny(e.rules, r.id) {
			continue
		}
		pods := w.templates
		if len(pods) == 0 {
			pods = []template{{}}
		}
		for _, t := range pods {
			if w.of(t).fitsEntry(e.match) == yes {
				return true
			}
		}
	}
	return false
}

// ---- avoidNodes

func (j *judging) placement(r *rule) {
	if !isPods(j.request) || len(j.templates) == 0 {
		return
	}
	w := j.of(j.templates[0])
	if w.looksAt(r) == no || !w.settled || j.leftToDaemonSets(r) {
		return
	}
	j.v.Rules[r.id] = "u"
	// A stale inventory takes precedence over what is unknown; to `allow` it is good enough.
	otherwise := map[bool]string{true: "deny", false: "warn"}[r.mode == "enforce"]
	if meaning := r.word("staleInventory", otherwise); j.c.Stale && meaning != "allow" {
		j.unknownIn(j.shared("stale"), r, meaning)
		return
	}
	if j.c.NoNodes {
		j.unknownIn(j.shared("no inventory"), r, r.word("onUnknown", "warn"))
		return
	}
	nodes := candidates(j.c, w.pod)
	if name := text(w.pod, "spec", "nodeName"); name != "" {
		n := w.nodeNamed(name)
		if n == nil {
			j.unknownIn(j.shared("no such node"), r, r.word("onUnknown", "deny"))
			return
		}
		nodes = []any{n}
	}
	j.v.Rules[r.id] = "k"
	if len(nodes) == 0 {
		// In nobody's name: no rule excludes these nodes.
		if t := j.shared("no candidate"); r.mode != "audit" {
			t.Notes = append(t.Notes, "driftbar")
		}
		return
	}
	j.surveyed(r, w.survey(r, nodes, r.word("onUnknown", "warn")))
}

func (j *judging) surveyed(r *rule, s survey) {
	wanted, safe := r.number("minSafe", 1), len(s.candidates)-len(s.unsafe)
	anyCounts := r.word("when", "") == "any"
	if safe == 0 || anyCounts && len(s.unsafe) > 0 || safe < wanted && len(s.candidates) >= wanted {
		j.v.Rules[r.id] = "b"
		j.tell(r)
		return
	}
	// An unknown node that counts as safe is worth a warning where the verdict rests on it.
	rests := s.unknown > 0 && (anyCounts || safe-s.unknown < wanted)
	if safe < wanted || rests && r.word("onUnknown", "warn") == "warn" {
		j.note(r)
	}
	if r.mode == "enforce" {
		j.kept = append(j.kept, keptRule{r, s})
	}
}

// DaemonSets and their pods are left alone unless the policy names DaemonSet: the driver that would repair the node
// must get there.
func (j *judging) leftToDaemonSets(r *rule) bool {
	match := get(r.policy.spec, "match")
	if contains(words(get(match, "ownedBy")), "DaemonSet") || contains(words(get(match, "kinds")), "DaemonSet") {
		return false
	}
	return contains(j.of(j.templates[0]).ownerKinds(), "DaemonSet")
}

// together: nodes that each of several rules leaves open, and all of them close. Every rule that closes a part is broken.
func (j *judging) together() {
	closers := map[string]*rule{}
	if len(j.kept) == 0 {
		return
	}
	for _, n := range j.kept[0].survey.candidates {
		closed := false
		for _, k := range j.kept {
			if k.survey.unsafe[text(n, "metadata", "name")] {
				closed = true
				closers[k.rule.id] = k.rule
			}
		}
		if !closed {
			return
		}
	}
	for id, r := range closers {
		j.v.Rules[id] = "b"
		j.v.Together = append(j.v.Together, id)
		j.tell(r)
	}
}
