package main

import "strings"

// looksAt: whether a rule looks at the request, and at the pod in it that is judged now. An exception that can't be
// told does not take a request out.
func (w *world) looksAt(r *rule) truth {
	match := mapOf(r.policy.spec, "match")
	result := w.defaults(match, r)
	for key, wanted := range match {
		result = and(result, w.matches(key, wanted))
	}
	for _, e := range list(r.policy.spec, "except") {
		result = and(result, truthOf(w.fitsEntry(e) != yes))
	}
	return result
}

// fitsEntry: an entry of except, or what an exemption looks at: what is not said is no limit.
func (w *world) fitsEntry(entry any) truth {
	result := yes
	for key, wanted := range mapOf(entry) {
		result = and(result, w.matches(key, wanted))
	}
	return result
}

// What a policy looks at that does not say it.
func (w *world) defaults(match map[string]any, r *rule) truth {
	result := yes
	if match["resources"] == nil {
		result = and(result, truthOf(w.isOfDefaultResources(r)))
	}
	if match["operations"] == nil {
		switch text(w.request, "operation") {
		case "CREATE", "UPDATE":
		case "CONNECT": // only where the resource knows nothing else, which is where it comes
		default:
			result = no
		}
	}
	return result
}

func (w *world) isOfDefaultResources(r *rule) bool {
	if r.aboutNode {
		return covers("nodes", w.request)
	}
	return covers("pods", w.request) || text(w.request, "subResource") == "" && workloadOf(w.set, w.request) != nil
}

// covers: `pods` is what can change a pod's spec, `nodes` has its status; any other subresource only by its name.
func covers(resource string, request any) bool {
	group, name, sub := text(request, "resource", "group"), text(request, "resource", "resource"), text(request, "subResource")
	if group == "" && name == "bindings" {
		name, sub = "pods", "binding" // both are meant by either name
	}
	if resource == "bindings" {
		resource = "pods/binding"
	}
	also := map[string][]string{"pods": {"ephemeralcontainers", "resize", "status"}, "nodes": {"status"}}
	if resource == "*" {
		return sub == "" || group == "" && contains(also[name], sub)
	}
	wanted, wantedSub, _ := strings.Cut(resource, "/")
	wantedName, wantedGroup, _ := strings.Cut(wanted, ".")
	if wantedName != name || wantedGroup != group {
		return false
	}
	return sub == wantedSub || wantedSub == "" && group == "" && contains(also[name], sub)
}

func (w *world) matches(key string, wanted any) truth {
	switch key {
	case "resources":
		for _, r := range words(wanted) {
			if covers(r, w.request) {
				return yes
			}
		}
		return no
	case "operations":
		for _, o := range words(wanted) {
			if strings.EqualFold(o, text(w.request, "operation")) {
				return yes
			}
		}
		return no
	case "workload":
		result := no
		for _, class := range words(wanted) {
			result = or(result, w.belongsTo(class))
		}
		return result
	case "kinds":
		return truthOf(contains(words(wanted), w.kind()))
	case "ownedBy":
		return w.ownedBy(words(wanted))
	case "namespaces":
		return truthOf(w.ns() != "" && fitsAny(words(wanted), w.ns()))
	case "names":
		return truthOf(w.isNamed(words(wanted)))
	case "namespaceSelector":
		if w.ns() == "" {
			return no
		}
		if w.namespace == nil {
			return unknown
		}
		return truthOf(selects(wanted, w.namespace))
	case "labelSelector":
		if w.podUnknown {
			return unknown
		}
		if w.asked != nil {
			return truthOf(selects(wanted, w.asked))
		}
		result := truthOf(selects(wanted, w.object))
		if text(w.request, "operation") == "UPDATE" {
			result = or(result, truthOf(selects(wanted, w.oldObject)))
		}
		return result
	case "podServiceAccounts":
		if w.podUnknown {
			return unknown
		}
		account := text(w.pod, "spec", "serviceAccountName")
		if account == "" {
			account = "default"
		}
		return truthOf(w.pod != nil && fitsAny(words(wanted), w.ns()+"/"+account))
	case "requestedBy":
		return requester(wanted, w)
	}
	panic("a match key " + key)
}

// kind of the object judged; on exec and the like that is the pod.
func (w *world) kind() string {
	if carriesNoPod(w.request) {
		return "Pod"
	}
	return text(w.request, "kind", "kind")
}

// The name that the API server is yet to make ends in what only a `*` covers.
func (w *world) isNamed(globs []string) bool {
	name := text(w.object, "metadata", "name")
	if carriesNoPod(w.request) {
		return fitsAny(globs, text(w.request, "name"))
	}
	if name == "" {
		name = text(w.object, "metadata", "generateName")
		if name != "" {
			name += "\x00\x00\x00\x00\x00"
		}
	}
	return fitsAny(globs, name)
}

// Kinds that own pods themselves: nothing owns those that a rule could ask for beyond what the pod says.
var owners = []string{"ReplicaSet", "Deployment", "ReplicationController", "StatefulSet", "DaemonSet", "Job"}

func (w *world) ownerKinds() []string {
	var out []string
	metadata := get(w.pod, "metadata")
	if w.podPlace != "" { // of a template: the workload, and who owns that
		out = append(out, w.kind())
		metadata = get(w.object, "metadata")
		if w.kind() == "Deployment" {
			out = append(out, "ReplicaSet")
		}
	}
	for _, o := range list(metadata, "ownerReferences") {
		out = append(out, text(o, "kind"))
		if text(o, "kind") == "ReplicaSet" && get(metadata, "labels", "pod-template-hash") != nil {
			out = append(out, "Deployment")
		}
	}
	return out
}

// ownedBy: what the references say; further up the chain takes a look-up.
func (w *world) ownedBy(kinds []string) truth {
	if w.podUnknown {
		return unknown
	}
	for _, kind := range w.ownerKinds() {
		if contains(kinds, kind) {
			return yes
		}
	}
	direct := true
	for _, kind := range kinds {
		direct = direct && contains(owners, kind)
	}
	if direct {
		return no
	}
	metadata := get(w.pod, "metadata")
	if w.podPlace != "" {
		metadata = get(w.object, "metadata")
	}
	return w.ownedAbove(list(metadata, "ownerReferences"), kinds)
}

func (w *world) belongsTo(class string) truth {
	if w.podUnknown {
		return unknown
	}
	if w.pod == nil {
		return no
	}
	if spec, ok := w.set.classes[class]; ok && hasMembership(spec) {
		return w.holds(membership(spec), false).holds
	}
	switch class {
	case "training":
		return w.isTraining()
	case "rdma-training":
		return and(w.isTraining(), truthOf(w.usesRdma()))
	}
	panic("a class " + class)
}

func membership(spec any) any {
	out := map[string]any{}
	for key, v := range mapOf(spec) {
		if key != "sensitiveTo" {
			out[key] = v
		}
	}
	return out
}

func hasMembership(spec any) bool { return len(mapOf(membership(spec))) > 0 }

// training: a pod that asks for an accelerator, unless it serves. The label `training` beats all, a controller's label
// the label `serving`, that one the variables, and those the owner.
func (w *world) isTraining() truth {
	chain := w.ownerKinds()
	if contains(chain, "DaemonSet") || fits("kube-*", w.ns()) || fitsAny(w.c.System, w.ns()) {
		return no
	}
	label := text(w.pod, "metadata", "labels", "driftbar.io/workload")
	if label == "training" {
		return yes
	}
	asks := truthOf(len(list(w.pod, "spec", "resourceClaims")) > 0) / 2 // which class a claim has is written elsewhere
	for _, c := range containersOf(w.pod, "") {
		if asksFor(c.spec, accelerators) {
			asks = yes
		}
	}
	for key := range mapOf(w.pod, "metadata", "labels") {
		if fitsAny(trainingLabels, key) {
			return asks
		}
	}
	if label == "serving" {
		return no
	}
	if w.sets([]string{"NCCL_*", "MASTER_ADDR", "WORLD_SIZE"}) {
		return asks
	}
	for _, kind := range []string{"Deployment", "StatefulSet", "RayService", "LeaderWorkerSet", "InferenceService"} {
		if contains(chain, kind) {
			return no
		}
	}
	return asks
}

// Labels of training controllers: of those that there are, the ones that cases have.
var trainingLabels = []string{"training.kubeflow.org/*", "volcano.sh/job-name"}

func (w *world) sets(globs []string) bool {
	for _, c := range containersOf(w.pod, "") {
		for _, e := range list(c.spec, "env") {
			if fitsAny(globs, text(e, "name")) {
				return true
			}
		}
		for name := range commandLine(c) {
			if fitsAny(globs, name) {
				return true
			}
		}
	}
	return false
}

func (w *world) usesRdma() bool {
	for _, c := range containersOf(w.pod, "") {
		if asksFor(c.spec, []string{"*rdma*", "*roce*", "*sriov*", "vpc.amazonaws.com/efa"}) {
			return true
		}
	}
	return w.sets([]string{"NCCL_IB_*", "UCX_NET_DEVICES", "FI_PROVIDER"})
}
