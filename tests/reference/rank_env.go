package main

import "sort"

// Variables that NCCL allows to differ by host count only when they are named outright.
var differByHost = []string{"NCCL_SOCKET_IFNAME", "NCCL_HOSTID", "NCCL_DEBUG_FILE"}

func (w *world) rankEnv(globs []string) subject {
	if w.podUnknown {
		return subject{sets: [][]value{{{unknown: true, many: true}}}}
	}
	names := map[string]bool{}
	var ranks []world
	for _, t := range w.templates {
		if t.ranks {
			of := *w
			of.pod, of.podPlace, of.ranks = t.pod, t.place, true
			ranks = append(ranks, of)
		}
	}
	for _, of := range ranks {
		for _, c := range of.envContainers(map[string]any{}) {
			set := commandLine(c)
			for _, e := range list(c.spec, "env") {
				set[text(e, "name")] = value{}
			}
			for name := range set {
				if contains(globs, name) || fitsAny(globs, name) && !contains(differByHost, name) {
					names[name] = true
				}
			}
		}
	}
	for _, name := range globs {
		if !hasGlob(name) {
			names[name] = true // though envFrom alone may set it
		}
	}
	s := subject{isText: true, sets: [][]value{}}
	for _, name := range sorted(names) {
		var group []value
		for _, of := range ranks {
			group = append(group, of.envValues(map[string]any{"env": name})...)
		}
		if setNowhere(group) {
			continue
		}
		s.sets = append(s.sets, group)
		s.values = append(s.values, group...)
	}
	return s
}

// setNowhere: none has it, or the same envFrom everywhere may have it, so that there is nothing to tell apart.
func setNowhere(group []value) bool {
	for _, v := range group {
		if v.there || v.unknown != group[0].unknown || v.from != group[0].from {
			return false
		}
	}
	return true
}

func sorted(set map[string]bool) []string {
	out := []string{}
	for name := range set {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
