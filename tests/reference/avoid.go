package main

// ---- where a finding goes

// meansIn: what is broken or not known, as `deny`, `warn` or `allow` has it.
func meansIn(t *told, r *rule, meaning string, lifted bool) {
	switch meaning {
	case "deny":
		tellIn(t, r, lifted)
	case "warn":
		noteIn(t, r)
	}
}

// What an exemption lets through is a warning to whoever asks.
func tellIn(t *told, r *rule, lifted bool) {
	list := map[string]*[]string{"enforce": &t.Refused, "warn": &t.Warned, "audit": &t.Audited}[r.mode]
	if lifted {
		list = &t.Exempted
		noteIn(t, r)
	}
	*list = append(*list, r.id)
}

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

// exempts: an exemption names the rule, has not ended, and certainly fits the object and the pod that is judged now.
func (w *world) exempts(r *rule) bool {
	for _, e := range w.set.exemptions {
		if w.now.Before(e.ends) && fitsAny(e.rules, r.id) && w.fitsEntry(e.match) == yes {
			return true
		}
	}
	return false
}

// ---- avoidNodes

type keptRule struct {
	rule   *rule
	place  string // of the template
	survey survey
}

// placement: a workload is refused for any one of its templates.
func (j *judging) placement(r *rule) {
	if len(j.templates) == 0 || j.leftToDaemonSets(r) {
		return
	}
	broken := map[bool]bool{} // by whether it is lifted
	for _, t := range j.templates {
		w := j.of(t)
		if w.looksAt(r) == no || !w.settled {
			continue
		}
		letter, lifted := j.placed(r, w), w.exempts(r)
		broken[lifted] = broken[lifted] || letter == "b"
		j.v.Rules[r.id] = worst(j.v.Rules[r.id], letter)
	}
	switch {
	case broken[false]:
		tellIn(&j.v.told, r, false)
	case broken[true]:
		tellIn(&j.v.told, r, true)
	}
}

func worst(a, b string) string {
	for _, letter := range []string{"b", "u", "k"} {
		if a == letter || b == letter {
			return letter
		}
	}
	return "-"
}

// placed is what the rule says of one pod; that it is broken is left to be told.
func (j *judging) placed(r *rule, w *world) string {
	lifted := w.exempts(r)
	// A stale inventory takes precedence over what is unknown; to `allow` it is good enough.
	otherwise := map[bool]string{true: "deny", false: "warn"}[r.mode == "enforce"]
	if meaning := r.word("staleInventory", otherwise); j.c.Stale && meaning != "allow" {
		meansIn(j.shared("stale"), r, meaning, lifted)
		return "u"
	}
	if j.c.NoNodes {
		meansIn(j.shared("no inventory"), r, r.word("onUnknown", "warn"), lifted)
		return "u"
	}
	nodes := candidates(j.c, w.pod)
	if name := text(w.pod, "spec", "nodeName"); name != "" {
		n := w.nodeNamed(name)
		if n == nil {
			meansIn(j.shared("no such node"), r, r.word("onUnknown", "deny"), lifted)
			return "u"
		}
		nodes = []any{n}
	}
	if len(nodes) == 0 {
		// In nobody's name: no rule excludes these nodes.
		if t := j.shared("no candidate"); r.mode != "audit" {
			t.Notes = append(t.Notes, "driftbar")
		}
		return "k"
	}
	return j.surveyed(r, w, w.survey(r, nodes, r.word("onUnknown", "warn")))
}

func (j *judging) surveyed(r *rule, w *world, s survey) string {
	wanted, safe := r.number("minSafe", 1), len(s.candidates)-len(s.unsafe)
	anyCounts := r.word("when", "") == "any"
	if safe == 0 || anyCounts && len(s.unsafe) > 0 || safe < wanted && len(s.candidates) >= wanted {
		return "b"
	}
	// An unknown node that counts as safe is worth a warning where the verdict rests on it.
	rests := s.unknown > 0 && (anyCounts || safe-s.unknown < wanted)
	if safe < wanted || rests && r.word("onUnknown", "warn") == "warn" {
		noteIn(&j.v.told, r)
	}
	if r.mode == "enforce" && !w.exempts(r) {
		j.kept = append(j.kept, keptRule{r, w.podPlace, s})
	}
	return "k"
}

// DaemonSets and their pods are left alone unless the policy names DaemonSet: the driver that would repair the node
// must get there.
func (j *judging) leftToDaemonSets(r *rule) bool {
	match := get(r.policy.spec, "match")
	if contains(words(get(match, "ownedBy")), "DaemonSet") || contains(words(get(match, "kinds")), "DaemonSet") {
		return false
	}
	return len(j.templates) > 0 && contains(j.of(j.templates[0]).ownerKinds(), "DaemonSet")
}

// together: nodes that each of several rules leaves open, and all of them close. Every rule that closes a part is broken.
func (j *judging) together() {
	for _, t := range j.templates {
		var kept []keptRule
		for _, k := range j.kept {
			if k.place == t.place {
				kept = append(kept, k)
			}
		}
		j.togetherOf(kept)
	}
}

func (j *judging) togetherOf(kept []keptRule) {
	closers := map[string]*rule{}
	if len(kept) == 0 {
		return
	}
	for _, n := range kept[0].survey.candidates {
		closed := false
		for _, k := range kept {
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
		tellIn(&j.v.told, r, false)
	}
}
