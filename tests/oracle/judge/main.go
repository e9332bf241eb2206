// The judge: Kubernetes' own code, asked about cases that driftbar's own answers are compared with.
//
// It reads rows, one JSON map a line, and answers each with one line of JSON; `kind` says what is asked. It
// decides nothing by itself that Kubernetes has a function for. Written here is only what sits in packages of
// the scheduler that can't be had as a library, which is adding up: the comparison with a node's allocatable
// (kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go), the names that it knows, and the API's
// defaults for requests (pkg/apis/core/v1/defaults.go).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	kjson "sigs.k8s.io/json"

	"gopkg.in/inf.v0"
)

type row struct {
	Kind       string                `json:"kind"`
	Nodes      []v1.Node             `json:"nodes"`
	Spec       v1.PodSpec            `json:"spec"`
	Texts      []string              `json:"texts"`
	Values     []rawValue            `json:"values"`
	Selector   *metav1.LabelSelector `json:"selector"`
	Labels     []map[string]string   `json:"labels"`
	Toleration v1.Toleration         `json:"toleration"`
	Taints     []v1.Taint            `json:"taints"`
}

// rawValue keeps the bytes of a JSON value.
type rawValue []byte

func (r *rawValue) UnmarshalJSON(data []byte) error {
	*r = append([]byte(nil), data...)
	return nil
}

var logger = klog.Background()

// comparisonOperators is the feature gate TaintTolerationComparisonOperators, alpha and off.
const comparisonOperators = false

// The nodes of the last row of kind `nodes`, for those of kind `place` that bring none of their own.
var nodes []v1.Node

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		fmt.Fprintln(out, answer(line))
		out.Flush()
	}
}

// A row that is no object of the API gives "unreadable: …"; such a case says nothing about driftbar.
func answer(line []byte) string {
	var r row
	if err := kjson.UnmarshalCaseSensitivePreserveInts(line, &r); err != nil {
		return quoted("unreadable: " + err.Error())
	}
	switch r.Kind {
	case "nodes":
		nodes = r.Nodes
		return quoted("ok")
	case "place":
		if r.Nodes == nil {
			r.Nodes = nodes
		}
		return quoted(places(&r))
	case "requests":
		return requests(&r)
	case "selector":
		return quoted(selector(&r))
	case "toleration":
		return quoted(toleration(&r))
	case "quantity":
		return quantities(r.Texts)
	case "json-quantity":
		return jsonQuantities(r.Values)
	}
	return quoted("unreadable: unknown kind")
}

func quoted(text string) string {
	made, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(made)
}

// What keeps the pod off a node, as a sum; one hexadecimal digit a node.
const (
	affinity      = 1
	taint         = 2
	unschedulable = 4
	fit           = 8
)

func places(r *row) string {
	pod := &v1.Pod{Spec: r.Spec}
	applyDefaults(&pod.Spec)
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	need := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	var digits strings.Builder
	for i := range r.Nodes {
		digits.WriteString(fmt.Sprintf("%x", obstacles(pod, required, need, &r.Nodes[i])))
	}
	return digits.String()
}

func obstacles(pod *v1.Pod, required nodeaffinity.RequiredNodeAffinity, need v1.ResourceList, node *v1.Node) int {
	sum := 0
	// The scheduler ignores the error too.
	if match, _ := required.Match(node); !match {
		sum += affinity
	}
	filter := func(t *v1.Taint) bool {
		return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
	}
	if _, found := corev1helper.FindMatchingUntoleratedTaint(logger, node.Spec.Taints, pod.Spec.Tolerations, filter, comparisonOperators); found {
		sum += taint
	}
	cordon := &v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	if node.Spec.Unschedulable && !corev1helper.TolerationsTolerateTaint(logger, pod.Spec.Tolerations, cordon, comparisonOperators) {
		sum += unschedulable
	}
	if !fits(need, node.Status.Allocatable) {
		sum += fit
	}
	return sum
}

func fits(need, allocatable v1.ResourceList) bool {
	if pods := allocatable[v1.ResourcePods]; 1 > int(pods.Value()) {
		return false
	}
	for name, asked := range need {
		there := allocatable[name]
		switch {
		case name == v1.ResourceCPU:
			if asked.MilliValue() > 0 && asked.MilliValue() > there.MilliValue() {
				return false
			}
		case name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage || isScalar(name):
			if asked.Value() > 0 && asked.Value() > there.Value() {
				return false
			}
		}
	}
	return true
}

func isScalar(name v1.ResourceName) bool {
	text := string(name)
	switch {
	case strings.HasPrefix(text, v1.ResourceHugePagesPrefix), strings.HasPrefix(text, v1.ResourceAttachableVolumesPrefix):
		return true
	case strings.Contains(text, v1.ResourceDefaultNamespacePrefix):
		return true
	case !strings.Contains(text, "/"), strings.HasPrefix(text, v1.DefaultResourceRequestsPrefix):
		return false
	}
	return len(validation.IsQualifiedName(v1.DefaultResourceRequestsPrefix+text)) == 0
}

// The API server's defaults: a limit stands for a request that is absent; for the pod as a whole where no
// container asks either, or the resource can't be overcommitted.
func applyDefaults(spec *v1.PodSpec) {
	for _, containers := range [][]v1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].Resources.Requests = withDefaults(containers[i].Resources.Requests, containers[i].Resources.Limits)
		}
	}
	if spec.Resources == nil || len(spec.Resources.Limits) == 0 {
		return
	}
	containers := resourcehelper.AggregateContainerRequests(&v1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{})
	podLevel := withDefaults(spec.Resources.Requests, nil)
	for name, amount := range containers {
		if resourcehelper.IsSupportedPodLevelResource(name) && !strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix) {
			podLevel = withDefaults(podLevel, v1.ResourceList{name: amount})
		}
	}
	for name, amount := range spec.Resources.Limits {
		if resourcehelper.IsSupportedPodLevelResource(name) {
			podLevel = withDefaults(podLevel, v1.ResourceList{name: amount})
		}
	}
	spec.Resources.Requests = podLevel
}

func withDefaults(list, defaults v1.ResourceList) v1.ResourceList {
	made := v1.ResourceList{}
	for name, amount := range defaults {
		made[name] = amount.DeepCopy()
	}
	for name, amount := range list {
		made[name] = amount.DeepCopy()
	}
	return made
}

// {"cpu": "1500000000n", …}
func requests(r *row) string {
	pod := &v1.Pod{Spec: r.Spec}
	applyDefaults(&pod.Spec)
	var parts []string
	for name, amount := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		parts = append(parts, quoted(string(name))+":"+quoted(nanos(amount)))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// One digit for each of the labels; "error" for a selector that can't be read.
func selector(r *row) string {
	made, err := metav1.LabelSelectorAsSelector(r.Selector)
	if err != nil {
		return "error"
	}
	var digits strings.Builder
	for _, set := range r.Labels {
		digits.WriteString(digit(made.Matches(labels.Set(set))))
	}
	return digits.String()
}

// One digit for each of the taints.
func toleration(r *row) string {
	var digits strings.Builder
	for i := range r.Taints {
		digits.WriteString(digit(r.Toleration.ToleratesTaint(logger, &r.Taints[i], comparisonOperators)))
	}
	return digits.String()
}

func digit(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

// For each text: null, or the exact amount, Value and MilliValue, how it compares with the text before (that is
// an amount), and the sum of the two.
func quantities(texts []string) string {
	return described(len(texts), func(i int) (resource.Quantity, error) { return resource.ParseQuantity(texts[i]) })
}

func jsonQuantities(values []rawValue) string {
	return described(len(values), func(i int) (q resource.Quantity, err error) {
		err = q.UnmarshalJSON(values[i])
		return q, err
	})
}

func described(count int, read func(int) (resource.Quantity, error)) string {
	var parts []string
	var before resource.Quantity
	for i := 0; i < count; i++ {
		q, err := read(i)
		if err != nil {
			parts = append(parts, "null")
			continue
		}
		order := q.Cmp(before)
		sum := q.DeepCopy()
		sum.Add(before)
		parts = append(parts, fmt.Sprintf(`{"nanos":%q,"value":"%d","milli":"%d","order":%d,"sum":%q}`,
			nanos(q), q.Value(), q.MilliValue(), order, nanos(sum)))
		before = q
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// The whole amount as a quantity that any reader understands.
func nanos(q resource.Quantity) string {
	amount := q.DeepCopy()
	exact := new(inf.Dec).Round(amount.AsDec(), 9, inf.RoundExact)
	if exact == nil {
		return "finer than a nano"
	}
	return exact.UnscaledBig().String() + "n"
}
