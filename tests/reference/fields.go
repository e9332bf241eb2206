package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// A path: `.name`, `["key/with.dots"]` (of a list: its element of this key), `[0]`, `[*]`.
type step struct {
	key   string
	each  bool
	index int // -1 where it is none
}

func stepsOf(path string) []step {
	var out []step
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
		case strings.HasPrefix(path, "[*]"):
			out = append(out, step{each: true, index: -1})
			path = path[3:]
		case strings.HasPrefix(path, `["`):
			end := strings.Index(path, `"]`)
			out = append(out, step{key: path[2:end], index: -1})
			path = path[end+2:]
		case path[0] == '[':
			end := strings.Index(path, "]")
			number, err := strconv.Atoi(path[1:end])
			if err != nil {
				panic("a path with " + path)
			}
			out = append(out, step{index: number})
			path = path[end+1:]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			out = append(out, step{key: path[:end], index: -1})
			path = path[end:]
		}
	}
	return out
}

// mergeKeys: by which key Kubernetes merges a list (patchMergeKey and listMapKey in k8s.io/api).
var mergeKeys = map[string]string{
	"containers": "name", "initContainers": "name", "ephemeralContainers": "name", "volumes": "name", "env": "name",
	"conditions": "type", "taints": "key", "volumeMounts": "mountPath", "schedulingGates": "name", "sysctls": "",
	"tolerations": "", "command": "", "args": "", "ownerReferences": "uid",
	"replicatedJobs": "name", "tasks": "name",
}

// What an absent field means to Kubernetes: defaults of k8s.io/api core/v1 and pkg/apis/core/v1/defaults.go. `maps` is
// how many of the maps above it may be missing too: an absent securityContext is not privileged.
type zero struct {
	value any
	maps  int
}

var zeros = map[string]zero{
	"pod.spec.restartPolicy":                                     {"Always", 1},
	"pod.spec.hostNetwork":                                       {false, 1},
	"pod.spec.hostPID":                                           {false, 1},
	"pod.spec.hostIPC":                                           {false, 1},
	"pod.spec.nodeName":                                          {"", 1},
	"pod.spec.dnsPolicy":                                         {"ClusterFirst", 1},
	"pod.spec.schedulerName":                                     {"default-scheduler", 1},
	"pod.spec.tolerations.key":                                   {"", 0},
	"pod.spec.tolerations.operator":                              {"Equal", 0},
	"pod.spec.tolerations.value":                                 {"", 0},
	"pod.spec.tolerations.effect":                                {"", 0},
	"pod.spec.containers.securityContext.privileged":             {false, 1},
	"pod.spec.containers.securityContext.readOnlyRootFilesystem": {false, 1},
	"pod.spec.containers.tty":                                    {false, 0},
	"pod.spec.containers.stdin":                                  {false, 0},
	"pod.spec.containers.volumeMounts.readOnly":                  {false, 0},
	"pod.spec.volumes.hostPath.type":                             {"", 0},
	"pod.spec.terminationGracePeriodSeconds":                     {json.Number("30"), 1},
	"pod.spec.securityContext.runAsNonRoot":                      {false, 2},
	"pod.spec.containers.livenessProbe.timeoutSeconds":           {json.Number("1"), 0},
	"pod.spec.containers.image":                                  {"", 0},
	"pod.spec.volumes.emptyDir.medium":                           {"", 0},
	"Deployment.spec.replicas":                                   {json.Number("1"), 1},
	"ReplicaSet.spec.replicas":                                   {json.Number("1"), 1},
	"StatefulSet.spec.replicas":                                  {json.Number("1"), 1},
	"ReplicationController.spec.replicas":                        {json.Number("1"), 1},
	"Job.batch.spec.parallelism":                                 {json.Number("1"), 1},
	"node.spec.unschedulable":                                    {false, 1},
	"node.spec.taints.value":                                     {"", 0},
}

// pattern is the name of a leaf in `zeros`: no elements, and all containers are `containers`.
func pattern(root string, steps []step) string {
	out := root
	list := false
	for _, s := range steps {
		if s.each || s.index >= 0 || list {
			list = false
			continue
		}
		_, list = mergeKeys[s.key]
		key := s.key
		if key == "initContainers" || key == "ephemeralContainers" {
			key = "containers"
		}
		out += "." + key
	}
	return out
}

// Fields that hold quantities, by the maps that they are in.
var quantities = regexp.MustCompile(`\b(limits|requests|allocatable|capacity)(\.|\[")[^.]*$`)

const farAway = 1000 // more maps missing than any zero value allows

// follow gives the values that steps lead to. `missing` counts the maps on the way that are not there.
func follow(at any, steps []step, listName, place string, missing int, z *zero, out *[]value) {
	if len(steps) == 0 {
		v := value{place: place, there: at != nil, written: at != nil, v: at, amount: quantities.MatchString(place)}
		if at == nil && z != nil && missing <= z.maps {
			v.there, v.v = true, z.value
		}
		*out = append(*out, v)
		return
	}
	s, rest := steps[0], steps[1:]
	leaf := len(rest) == 0
	switch l := at.(type) {
	case []any:
		key := mergeKeys[listName]
		if s.each {
			for i, item := range l {
				where := place + "[" + strconv.Itoa(i) + "]"
				if name, ok := get(item, key).(string); ok && key != "" {
					where = element(place, name)
				}
				follow(item, rest, "", where, missingOf(item, leaf), z, out)
			}
			return
		}
		if s.index >= 0 {
			var item any
			if s.index < len(l) {
				item = l[s.index]
			}
			follow(item, rest, "", place+"["+strconv.Itoa(s.index)+"]", missingOf(item, leaf), z, out)
			return
		}
		for _, item := range l {
			if name, ok := get(item, key).(string); ok && key != "" && name == s.key {
				follow(item, rest, "", element(place, s.key), 0, z, out)
				return
			}
		}
		follow(nil, rest, "", element(place, s.key), farAway, z, out)
		return
	case map[string]any:
		if s.each {
			for key, item := range l {
				follow(item, rest, key, below(place, key), missingOf(item, leaf), z, out)
			}
			return
		}
	}
	if s.each {
		return // over nothing there is nothing
	}
	if s.index >= 0 {
		follow(nil, rest, "", place+"["+strconv.Itoa(s.index)+"]", farAway, z, out)
		return
	}
	next := get(at, s.key)
	if next == nil && !leaf {
		missing++
	}
	where := below(place, s.key)
	if _, isList := mergeKeys[listName]; isList && at == nil {
		where, missing = element(place, s.key), farAway // an element of a list that is not there
	}
	follow(next, rest, s.key, where, missing, z, out)
}

// An element that is not there has no fields.
func missingOf(item any, leaf bool) int {
	if item == nil && !leaf {
		return farAway
	}
	return 0
}

var containerLists = []string{"initContainers", "containers", "ephemeralContainers"}

// fieldValues: the values of a path from a root, or from an element inside of `where`.
func (w *world) fieldValues(path string) []value {
	var out []value
	if w.inElement {
		steps := stepsOf(path)
		w.from(w.element, steps, w.elementPlace, zeroOf(pattern(w.elementPattern, steps)), &out)
		return out
	}
	steps := stepsOf(path)
	root, rest := steps[0].key, steps[1:]
	switch root {
	case "pod":
		if w.podUnknown {
			return []value{{place: w.podPlace, unknown: true}}
		}
		if w.pod == nil {
			return nil // an object without pods
		}
		if rest[0].key == "containers" {
			return w.inAllContainers(rest[1:])
		}
		w.from(w.pod, rest, w.podPlace, zeroOf(pattern("pod", rest)), &out)
	case "node":
		if w.nodeUnknown {
			return []value{{place: "", unknown: true}}
		}
		w.from(w.node, rest, "", zeroOf(pattern("node", rest)), &out)
	case "object":
		w.from(w.object, rest, "", w.zeroOfObject(rest), &out)
	case "oldObject":
		w.from(w.oldObject, rest, "oldObject", w.zeroOfObject(rest), &out)
	case "request":
		w.from(w.request, rest, "request", nil, &out)
	case "namespace":
		if w.namespace == nil && w.ns() != "" {
			return []value{{place: "namespace", unknown: true}}
		}
		w.from(w.namespace, rest, "namespace", nil, &out)
	case "templates", "ranks":
		if w.podUnknown {
			return []value{{place: w.podPlace, unknown: true, many: true}}
		}
		for _, t := range w.templates {
			if root == "ranks" && !t.ranks {
				continue
			}
			steps := rest[1:]
			w.from(t.pod, steps, t.place, zeroOf(pattern("pod", steps)), &out)
		}
	default:
		panic("a path from " + root)
	}
	return out
}

// zeroOfObject: of an object the request says the kind.
func (w *world) zeroOfObject(rest []step) *zero {
	kind, _ := get(get(w.request, "kind"), "kind").(string)
	group, _ := get(get(w.request, "kind"), "group").(string)
	switch {
	case group == "" && (kind == "Pod" || kind == "Node"):
		return zeroOf(pattern(strings.ToLower(kind), rest))
	case group == "" || group == "apps":
		return zeroOf(pattern(kind, rest))
	}
	return zeroOf(pattern(kind+"."+group, rest))
}

func zeroOf(name string) *zero {
	if z, ok := zeros[name]; ok {
		return &z
	}
	return nil
}

func (w *world) from(root any, steps []step, place string, z *zero, out *[]value) {
	missing := 0
	if root == nil {
		missing = farAway
	}
	follow(root, steps, "", place, missing, z, out)
}

// `pod.containers` stands for all containers; one picked by its name is in whichever list it is.
func (w *world) inAllContainers(rest []step) []value {
	var out []value
	if len(rest) > 0 && !rest[0].each && rest[0].index < 0 {
		home := "containers"
		for _, name := range containerLists {
			for _, c := range list(w.pod, "spec", name) {
				if text(c, "name") == rest[0].key {
					home = name
				}
			}
		}
		steps := append([]step{{key: "spec", index: -1}, {key: home, index: -1}}, rest...)
		w.from(w.pod, steps, w.podPlace, zeroOf(pattern("pod", steps)), &out)
		return out
	}
	for _, name := range containerLists {
		steps := append([]step{{key: "spec", index: -1}, {key: name, index: -1}}, rest...)
		w.from(w.pod, steps, w.podPlace, zeroOf(pattern("pod", steps)), &out)
	}
	return out
}

// elements of the list at a path, for `some` and `every`: each with its place; false where the root is not known.
func (w *world) elements(path string) ([]value, string, bool) {
	values := w.fieldValues(path + "[*]")
	var out []value
	for _, v := range values {
		if v.unknown {
			return []value{v}, "", false
		}
		if v.written {
			out = append(out, v)
		}
	}
	steps := stepsOf(path)
	if w.inElement {
		return out, pattern(w.elementPattern, steps), true
	}
	if path == "pod.containers" {
		return out, "pod.spec.containers", true
	}
	return out, pattern(steps[0].key, steps[1:]), true
}
