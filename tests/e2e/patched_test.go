package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// A condition in each of the forms that steering has: a clause of two terms, one of several values, names, a preference.
const steeringForms = `apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: forms}
spec:
  match: {workload: training}
  rules:
    - {name: doubled, avoidNodes: {label: patched/state, exists: true, notEquals: good}}
    - {name: listed, avoidNodes: {not: {label: patched/pool, notIn: [old, older]}}}
    - {name: named, avoidNodes: {condition: MaintenanceInProgress, equals: "True"}, steer: required}
    - {name: liked, mode: warn, avoidNodes: {label: patched/age, exists: true}, steer: preferred}
`

// TestTheApiServerTakesEveryPatchedPod creates random pods, dry, with the mutating webhook and without it: what the API
// server takes unsteered it takes steered, and steering what is steered changes nothing.
func TestTheApiServerTakesEveryPatchedPod(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t,
		cluster.Node{Name: "patched-1", Capacity: map[string]string{"nvidia.com/gpu": "8"}},
		cluster.Node{Name: "patched-2", Capacity: map[string]string{"nvidia.com/gpu": "8"},
			Conditions: []cluster.Condition{{Type: "MaintenanceInProgress", Status: "True", Reason: "Firmware"}}})
	plain, steered := c.Namespace(t), c.Namespace(t)
	gate := c.StartGate(t, "--policies", manifest(t, "policy.yaml", steeringForms), "--kubeconfig", c.Kubeconfig)
	registerBy(t, c, "Mutating", gate, 1, 1, steered)

	const pods, seed = 150, 20261201
	random := rand.New(rand.NewPCG(seed, seed))
	taken, changed := 0, 0
	for i := range pods {
		pod := randomPod(random, fmt.Sprintf("patched-%d", i))
		without, refusedWithout := createDry(c, plain, pod)
		with, refused := createDry(c, steered, pod)
		if (refused != nil) != (refusedWithout != nil) {
			t.Errorf("%s\nwith the webhook: %v\nwithout it: %v", mustJSON(t, pod), refused, refusedWithout)
		}
		if refused != nil || refusedWithout != nil {
			continue
		}
		taken++
		if !reflect.DeepEqual(with.Spec["affinity"], without.Spec["affinity"]) {
			changed++
		}
		pod["spec"].(map[string]any)["affinity"] = with.Spec["affinity"]
		again, err := createDry(c, steered, pod)
		if err != nil || !reflect.DeepEqual(again.Spec["affinity"], with.Spec["affinity"]) {
			t.Errorf("%s\nsteered once: %v\nsteered twice: %v, %v", mustJSON(t, pod), with.Spec["affinity"], again.Spec["affinity"], err)
		}
	}
	t.Logf("%d of %d pods are taken, %d of them steered", taken, pods, changed)
	if taken < pods/2 || changed < taken/2 {
		t.Error("too few of them say anything")
	}
}

type madePod struct{ Spec map[string]any }

func createDry(c *cluster.Cluster, namespace string, pod map[string]any) (made madePod, err error) {
	body, err := json.Marshal(pod)
	if err != nil {
		return made, err
	}
	path := "/api/v1/namespaces/" + namespace + "/pods?dryRun=All&fieldValidation=Strict"
	return made, c.Send(http.MethodPost, path, string(body), &made)
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return string(text)
}

// randomPod is a training pod with any of what steering has to leave as it is, or to go around.
func randomPod(random *rand.Rand, name string) map[string]any {
	once := func(in int) bool { return random.IntN(in) == 0 }
	spec := map[string]any{"containers": []any{map[string]any{"name": "trainer", "image": "train:1",
		"resources": map[string]any{"limits": map[string]any{"nvidia.com/gpu": "1"}}}}}
	if once(3) {
		spec["nodeSelector"] = map[string]any{"patched/pool": "new"}
	}
	if once(8) {
		spec["nodeName"] = "patched-1"
	}
	if once(6) {
		spec["schedulingGates"] = []any{map[string]any{"name": "example.com/queue"}}
	}
	if once(3) {
		spec["tolerations"] = []any{map[string]any{"operator": "Exists"}}
	}
	affinity, ofNodes := map[string]any{}, map[string]any{}
	if once(2) {
		var terms []any
		for range random.IntN(5) {
			terms = append(terms, randomTerm(random))
		}
		ofNodes["requiredDuringSchedulingIgnoredDuringExecution"] = map[string]any{"nodeSelectorTerms": terms}
	}
	if once(4) {
		ofNodes["preferredDuringSchedulingIgnoredDuringExecution"] = []any{
			map[string]any{"weight": 1 + random.IntN(100), "preference": randomTerm(random)}}
	}
	if len(ofNodes) > 0 || once(6) {
		affinity["nodeAffinity"] = ofNodes
	}
	if once(6) {
		affinity["podAntiAffinity"] = map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{
			map[string]any{"topologyKey": "kubernetes.io/hostname", "labelSelector": map[string]any{}}}}
	}
	if len(affinity) > 0 {
		spec["affinity"] = affinity
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name}, "spec": spec}
}

func randomTerm(random *rand.Rand) map[string]any {
	term := map[string]any{}
	var expressions []any
	for range random.IntN(3) {
		requirement := map[string]any{"key": []string{"patched/state", "patched/pool", "patched/size"}[random.IntN(3)]}
		switch operator := []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}[random.IntN(6)]; operator {
		case "Exists", "DoesNotExist":
			requirement["operator"] = operator
		case "Gt", "Lt":
			requirement["operator"], requirement["values"] = operator, []string{[]string{"5", "-1"}[random.IntN(2)]}
		default:
			requirement["operator"], requirement["values"] = operator, []string{"good", "new"}[:1+random.IntN(2)]
		}
		expressions = append(expressions, requirement)
	}
	if expressions != nil {
		term["matchExpressions"] = expressions
	}
	if random.IntN(4) == 0 {
		term["matchFields"] = []any{map[string]any{"key": "metadata.name",
			"operator": []string{"In", "NotIn"}[random.IntN(2)], "values": []string{"patched-1"}}}
	}
	return term
}
