package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// TestExplainSaysWhereTheSchedulerWouldPutAPod gives `driftbar explain` what kubectl prints of the cluster's nodes, and
// asks the real scheduler of each of them by a pod that may go nowhere else.
func TestExplainSaysWhereTheSchedulerWouldPutAPod(t *testing.T) {
	c := cluster.Shared(t)
	gpus := map[string]string{"nvidia.com/gpu": "8"}
	pool := map[string]string{"pool": "explain"}
	c.StartNodes(t,
		cluster.Node{Name: "explain-bad", Labels: map[string]string{"pool": "explain", "driftbar.io/drift": "major"}, Capacity: gpus},
		cluster.Node{Name: "explain-cordoned", Labels: pool, Capacity: gpus},
		cluster.Node{Name: "explain-good", Labels: pool, Capacity: gpus},
		cluster.Node{Name: "explain-other", Labels: map[string]string{"pool": "another"}, Capacity: gpus},
		cluster.Node{Name: "explain-small", Labels: pool, Capacity: map[string]string{"nvidia.com/gpu": "4"}},
		cluster.Node{Name: "explain-tainted", Labels: pool, Capacity: gpus, Taints: []cluster.Taint{{Key: "example.com/burn-in", Effect: "NoSchedule"}}})
	c.Kubectl(t, "cordon", "explain-cordoned").Must(t)
	namespace := c.Namespace(t)

	spec := `{nodeSelector: {pool: explain%s}, containers: [{name: trainer, image: train:1, resources: {limits: {nvidia.com/gpu: 8}}}]}`
	nodes := manifest(t, "nodes.yaml", c.Kubectl(t, "get", "nodes", "-o", "yaml").Must(t))
	pod := manifest(t, "pod.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: asked}, spec: "+fmt.Sprintf(spec, "")+"}\n")
	out := cluster.Run(t, "", os.Environ(), os.Getenv(cluster.GateVariable), "explain", "-p", shippedPolicy,
		"--inventory", nodes, "-f", pod, "-o", "json")
	var told []struct {
		Pods []struct {
			Nodes []struct{ Name, State string }
		}
	}
	if err := json.Unmarshal([]byte(out.Stdout), &told); err != nil || len(told) != 1 || len(told[0].Pods) != 1 {
		t.Fatalf("%v of %s", err, out)
	}
	states := map[string]string{}
	for _, node := range told[0].Pods[0].Nodes {
		if strings.HasPrefix(node.Name, "explain-") {
			states[node.Name] = node.State
		}
	}
	want := map[string]string{"explain-bad": "unsafe", "explain-cordoned": "out", "explain-good": "safe",
		"explain-other": "out", "explain-small": "out", "explain-tainted": "out"}
	if fmt.Sprint(states) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", states, want)
	}
	for node, state := range states {
		only := fmt.Sprintf(spec, ", kubernetes.io/hostname: "+node)
		c.Apply(t, namespace, "{apiVersion: v1, kind: Pod, metadata: {name: "+node+"}, spec: "+only+"}\n")
		cluster.Eventually(t, "the scheduler says of "+node, func() error {
			scheduled := c.Kubectl(t, "-n", namespace, "get", "pod", node, "-o",
				`jsonpath={.status.conditions[?(@.type=="PodScheduled")].status}`).Must(t)
			if scheduled == "" {
				return fmt.Errorf("nothing yet")
			}
			if open := state != "out"; open != (scheduled == "True") {
				t.Errorf("%s is %s, and PodScheduled of a pod for it is %s", node, state, scheduled)
			}
			return nil
		})
	}
}
