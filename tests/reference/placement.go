package main

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	kjson "sigs.k8s.io/json"
)

var logger = klog.Background()

// candidates: the nodes that a pod could land on, as the scheduler would have it.
func candidates(c *testCase, pod any) []any {
	p := podSpecOf(pod)
	required := nodeaffinity.GetRequiredNodeAffinity(p)
	need := resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{})
	var out []any
	for i, node := range c.typedNodes() {
		match, _ := required.Match(node) // the scheduler ignores the error too
		if match && schedulable(p, node) && tolerated(p, node) && hasRoom(need, node.Status.Allocatable) {
			out = append(out, c.Nodes[i])
		}
	}
	return out
}

func (c *testCase) typedNodes() []*v1.Node {
	for _, n := range c.Nodes[len(c.typed):] {
		node := &v1.Node{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(mustMarshal(n), node); err != nil {
			panic(err)
		}
		c.typed = append(c.typed, node)
	}
	return c.typed
}

func schedulable(p *v1.Pod, node *v1.Node) bool {
	cordon := &v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	return !node.Spec.Unschedulable || corev1helper.TolerationsTolerateTaint(logger, p.Spec.Tolerations, cordon, false)
}

func tolerated(p *v1.Pod, node *v1.Node) bool {
	counts := func(t *v1.Taint) bool {
		return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
	}
	_, found := corev1helper.FindMatchingUntoleratedTaint(logger, node.Spec.Taints, p.Spec.Tolerations, counts, false)
	return !found
}

// hasRoom adds up what pkg/scheduler/framework/plugins/noderesources/fit.go does, which is no library.
func hasRoom(need, allocatable v1.ResourceList) bool {
	if pods := allocatable[v1.ResourcePods]; pods.Value() < 1 {
		return false
	}
	for name, asked := range need {
		there := allocatable[name]
		switch {
		case name == v1.ResourceCPU:
			if asked.MilliValue() > 0 && asked.MilliValue() > there.MilliValue() {
				return false
			}
		case name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage || isExtended(string(name)):
			if asked.Value() > 0 && asked.Value() > there.Value() {
				return false
			}
		}
	}
	return true
}

func isExtended(name string) bool {
	if strings.HasPrefix(name, v1.ResourceHugePagesPrefix) || strings.HasPrefix(name, v1.ResourceAttachableVolumesPrefix) {
		return true
	}
	return strings.Contains(name, "/") && len(validation.IsQualifiedName(v1.DefaultResourceRequestsPrefix+name)) == 0
}

// settles: whether the request decides where the pods of this template may go.
func (w *world) settles(t template) bool {
	if !isPods(w.request) {
		return w.settlesWorkload(t)
	}
	if isGated(w.object) {
		return false // a queue fills the placement in until the last gate goes
	}
	switch text(w.request, "operation") {
	case "CREATE":
		return text(w.request, "subResource") == ""
	case "UPDATE":
		if text(w.oldObject, "spec", "nodeName") != "" {
			return false // a bound pod's placement is never judged again
		}
		return isGated(w.oldObject) || placementOf(w.object) != placementOf(w.oldObject)
	}
	return false
}

func isGated(pod any) bool { return len(list(pod, "spec", "schedulingGates")) > 0 }

// A parent's placement is judged at create, when it is un-suspended, and when its template changes where pods may go.
func (w *world) settlesWorkload(t template) bool {
	row := workloadOf(w.set, w.request)
	if row == nil || text(w.request, "subResource") != "" || isSuspended(row, w.object) || isGated(t.pod) {
		return false // of gated pods the placement is judged when the last gate goes
	}
	switch text(w.request, "operation") {
	case "CREATE":
		return true
	case "UPDATE":
		for _, old := range templatesOf(w.set, w.request, w.oldObject) {
			if old.place == t.place {
				return isSuspended(row, w.oldObject) || isGated(old.pod) || placementOf(t.pod) != placementOf(old.pod)
			}
		}
		return true
	}
	return false
}

func isSuspended(row *workloadRow, object any) bool {
	return row.suspend != "" && flag(object, strings.Split(row.suspend, ".")...)
}

// What decides where a pod may go: a toleration twice, or in another place, changes nothing.
func placementOf(pod any) string {
	spec := get(pod, "spec")
	tolerations := map[string]bool{}
	for _, t := range list(spec, "tolerations") {
		written := map[string]any{"operator": "Equal"}
		for key, v := range mapOf(t) {
			written[key] = v
		}
		tolerations[textOf(written)] = true
	}
	selector := map[string]any{}
	for key, v := range mapOf(spec, "nodeSelector") {
		selector[key] = v
	}
	return textOf([]any{text(spec, "nodeName"), selector, sorted(tolerations), requestsOf(pod),
		get(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")})
}

func requestsOf(pod any) any {
	m := map[string]any{}
	for name, amount := range resourcehelper.PodRequests(podSpecOf(pod), resourcehelper.PodResourcesOptions{}) {
		m[string(name)] = amount.AsApproximateFloat64()
	}
	return m
}

// survey: the candidates of a pod, judged by one rule.
type survey struct {
	candidates []any
	unsafe     map[string]bool // by name, what is unknown counted as onUnknown has it
	unknown    int
}

func (w *world) survey(r *rule, nodes []any, onUnknown string) survey {
	s := survey{candidates: nodes, unsafe: map[string]bool{}}
	for _, n := range nodes {
		over := *w
		over.node, over.aboutNode = n, true
		switch over.holds(r.condition, false).holds {
		case yes:
			s.unsafe[text(n, "metadata", "name")] = true
		case unknown:
			s.unknown++
			if onUnknown == "deny" {
				s.unsafe[text(n, "metadata", "name")] = true
			}
		}
	}
	return s
}

// canLandOn: whether some candidate fits the selector. It is about placement: where the request does not settle that,
// there is nothing to judge.
func (w *world) canLandOn(selector any) subject {
	v := value{place: below(w.podPlace, "spec"), there: true, written: true, v: ""}
	if !w.settled {
		return subject{member: func(value, bool) outcome { return fails }}
	}
	if w.podUnknown || w.c.NoNodes {
		v.unknown = true
		return subject{values: []value{v}, member: func(value, bool) outcome { return cannotTell }}
	}
	found := candidates(w.c, w.pod)
	if name := text(w.pod, "spec", "nodeName"); name != "" {
		n := w.nodeNamed(name)
		if n == nil {
			v.unknown = true
			return subject{values: []value{v}, member: func(value, bool) outcome { return cannotTell }}
		}
		found = []any{n}
	}
	lands := false
	for _, n := range found {
		lands = lands || selects(selector, n)
	}
	return subject{values: []value{v}, member: func(value, bool) outcome { return outcomeOf(lands) }}
}

// onNode: the condition holds for the node that the pod is bound or pinned to; over none there is nothing to judge.
func (w *world) onNode(condition any) subject {
	name := text(w.pod, "spec", "nodeName")
	if name == "" && !w.podUnknown {
		return subject{member: func(value, bool) outcome { return fails }}
	}
	over := *w
	over.aboutNode, over.node = true, w.nodeNamed(name)
	over.nodeUnknown = w.podUnknown || over.node == nil
	if over.nodeUnknown {
		v := value{place: below(below(w.podPlace, "spec"), "nodeName"), unknown: true}
		return subject{values: []value{v}, member: func(value, bool) outcome { return cannotTell }}
	}
	return subject{judge: func(each bool) judgement {
		result := over.holds(condition, each)
		for _, list := range [][]evidence{result.against, result.open} {
			for i := range list {
				list[i].Place = element("node", name) + "." + list[i].Place
			}
		}
		return result
	}}
}
