package main

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"time"
)

type rule struct {
	id        string
	verb      string
	condition any
	mode      string
	spec      map[string]any
	policy    *policy
	aboutNode bool // content about nodes
}

type policy struct {
	name  string
	spec  map[string]any
	rules []*rule
}

type exemption struct {
	name  string
	rules []string
	match any
	ends  time.Time
}

type policySet struct {
	policies   []*policy
	classes    map[string]any // spec of WorkloadClass documents
	workloads  []workloadRow
	exemptions []exemption
}

func readPolicies(documents []any) *policySet {
	set := &policySet{classes: map[string]any{}}
	for _, d := range documents {
		name, spec := text(d, "metadata", "name"), mapOf(d, "spec")
		switch text(d, "kind") {
		case "Policy":
			set.policies = append(set.policies, readPolicy(name, spec))
		case "WorkloadClass":
			set.classes[name] = spec
		case "WorkloadKind":
			set.workloads = append(set.workloads, readWorkloadKind(spec))
		case "Exemption":
			set.exemptions = append(set.exemptions, readExemption(name, spec))
		}
	}
	sort.Slice(set.policies, func(i, j int) bool { return set.policies[i].name < set.policies[j].name })
	sort.Slice(set.exemptions, func(i, j int) bool { return set.exemptions[i].ends.Before(set.exemptions[j].ends) })
	return set
}

func readPolicy(name string, spec map[string]any) *policy {
	p := &policy{name: name, spec: spec}
	for _, r := range list(spec, "rules") {
		made := &rule{id: name + "/" + text(r, "name"), mode: "enforce", spec: mapOf(r), policy: p}
		for _, mode := range []string{text(spec, "mode"), text(r, "mode")} {
			if mode != "" {
				made.mode = mode
			}
		}
		for _, verb := range []string{"deny", "require", "avoidNodes"} {
			if c := get(r, verb); c != nil {
				made.verb, made.condition = verb, c
			}
		}
		made.aboutNode = made.verb != "avoidNodes" && isAboutNodes(p, made.condition)
		p.rules = append(p.rules, made)
	}
	return p
}

// A rule is about nodes where its policy looks at nodes only, or, where the policy does not say, where a subject that
// only nodes have stands in it.
func isAboutNodes(p *policy, condition any) bool {
	if resources := words(get(p.spec, "match", "resources")); len(resources) > 0 {
		for _, r := range resources {
			if r != "nodes" && !strings.HasPrefix(r, "nodes/") {
				return false
			}
		}
		return true
	}
	return namesNodes(condition)
}

func namesNodes(condition any) bool {
	switch c := condition.(type) {
	case []any:
		for _, part := range c {
			if namesNodes(part) {
				return true
			}
		}
	case map[string]any:
		for word, v := range c {
			switch word {
			case "taint", "condition", "fact", "drift":
				return true
			case "field", "some", "every", "changed":
				for _, path := range words(v) {
					if strings.HasPrefix(path, "node.") {
						return true
					}
				}
			case "all", "any", "not":
				if namesNodes(v) {
					return true
				}
			}
		}
	}
	return false
}

func readWorkloadKind(spec map[string]any) workloadRow {
	row := workloadRow{group: text(spec, "group"), kind: text(spec, "kind"), resource: text(spec, "resource"), suspend: text(spec, "suspend")}
	if row.resource == "" {
		row.resource = strings.ToLower(row.kind) + "s"
	}
	for _, t := range list(spec, "templates") {
		made := templateRow{path: text(t, "path"), ranks: get(t, "ranks") != false, replicas: textOf(get(t, "replicas"))}
		row.templates = append(row.templates, made)
	}
	return row
}

func readExemption(name string, spec map[string]any) exemption {
	e := exemption{name: name, rules: words(spec["rules"]), match: spec["match"]}
	written := text(spec, "expires")
	if day, err := time.Parse("2006-01-02", written); err == nil {
		e.ends = day.Add(24 * time.Hour) // the day's end, UTC
	} else if e.ends, err = time.Parse(time.RFC3339, written); err != nil {
		panic(err)
	}
	return e
}

// number beside a key of a rule; `otherwise` where it is not written.
func (r *rule) number(key string, otherwise int) int {
	if n, ok := r.spec[key].(json.Number); ok {
		i, err := strconv.Atoi(n.String())
		if err != nil {
			panic(err)
		}
		return i
	}
	return otherwise
}

func (r *rule) word(key, otherwise string) string {
	if s, ok := r.spec[key].(string); ok {
		return s
	}
	return otherwise
}
