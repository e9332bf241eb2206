package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// TestPodsAreSteeredOffDriftedNodes has the real scheduler place pods that the mutating webhook has steered: by a label,
// by the name of a node whose condition no label tells, and away from a node that drifts once they are made.
func TestPodsAreSteeredOffDriftedNodes(t *testing.T) {
	c := cluster.Shared(t)
	var nodes []cluster.Node
	for i := 1; i <= 10; i++ {
		node := cluster.Node{Name: fmt.Sprintf("steer-%02d", i), Labels: map[string]string{"pool": "steer"},
			Capacity: map[string]string{"nvidia.com/gpu": "20"}}
		if i <= 2 {
			node.Labels["driftbar.io/drift"] = "major"
		}
		if i == 3 {
			node.Conditions = []cluster.Condition{{Type: "MaintenanceInProgress", Status: "True", Reason: "Firmware"}}
		}
		nodes = append(nodes, node)
	}
	c.StartNodes(t, nodes...)
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--policies", shippedPolicy, "--kubeconfig", c.Kubeconfig)
	register(t, c, gate, namespace)
	registerBy(t, c, "Mutating", gate, 1, 1, namespace)

	pods := func(prefix string, count int, spec string) {
		var list []string
		for i := range count {
			list = append(list, trainingPod(fmt.Sprintf("%s-%d", prefix, i), spec))
		}
		c.Apply(t, namespace, strings.Join(list, "\n---\n"))
	}
	placed := func(prefix string, count int, forbidden ...string) {
		t.Helper()
		cluster.Eventually(t, prefix+" are placed", func() error {
			on, err := nodesOf(c, namespace, prefix)
			if err == nil && len(on) != count {
				err = fmt.Errorf("%d of %d are placed", len(on), count)
			}
			if err != nil {
				return err
			}
			for pod, node := range on {
				for _, bad := range forbidden {
					if node == bad {
						t.Errorf("%s landed on %s", pod, node)
					}
				}
			}
			return nil
		})
	}

	t.Run("none of a hundred lands on one of the three", func(t *testing.T) {
		pods("many", 100, "nodeSelector: {pool: steer}")
		placed("many", 100, "steer-01", "steer-02", "steer-03")
	})
	t.Run("nor on one that drifts while they wait", func(t *testing.T) {
		pods("wait", 3, "nodeSelector: {pool: steer, open: \"yes\"}")
		c.Kubectl(t, "label", "node", "steer-04", "driftbar.io/drift=minor").Must(t)
		c.Kubectl(t, "label", "node", "steer-04", "steer-05", "open=yes").Must(t)
		placed("wait", 3, "steer-04")
	})
	t.Run("a gated pod is steered when its last gate goes", func(t *testing.T) {
		pods("gated", 1, "nodeSelector: {pool: steer}, schedulingGates: [{name: example.com/queue}]")
		path := "/api/v1/namespaces/" + namespace + "/pods/gated-0"
		if got := affinityOf(t, c, path); got != "" {
			t.Errorf("it was steered while it was gated: %s", got)
		}
		c.Kubectl(t, "-n", namespace, "patch", "pod", "gated-0", "--type=json", "-p",
			`[{"op": "remove", "path": "/spec/schedulingGates"}]`).Must(t)
		placed("gated", 1, "steer-01", "steer-02", "steer-03", "steer-04")
		if got := affinityOf(t, c, path); !strings.Contains(got, "driftbar.io/drift") {
			t.Errorf("it was not steered: %q", got)
		}
	})
	t.Run("with no good node left it is refused, and the nodes are named", func(t *testing.T) {
		out := c.KubectlWith(t, trainingPod("doomed", "nodeSelector: {kubernetes.io/hostname: steer-02}"), "-n", namespace, "create", "-f", "-")
		expect(t, out, 1, "", denial(`error when creating "STDIN": `, "validate.driftbar.io",
			`training-nodes/drifted: Pod "doomed" can only land on drifted nodes (1 of 1)
  steer-02  label driftbar.io/drift is "major"
  fix: ask the node team to repair the pool, or widen the nodeSelector
`))
	})
}

// nodesOf gives the nodes of the pods that have one.
func nodesOf(c *cluster.Cluster, namespace, prefix string) (map[string]string, error) {
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ NodeName string }
		}
	}
	err := c.Send(http.MethodGet, "/api/v1/namespaces/"+namespace+"/pods", "", &list)
	on := map[string]string{}
	for _, pod := range list.Items {
		if strings.HasPrefix(pod.Metadata.Name, prefix+"-") && pod.Spec.NodeName != "" {
			on[pod.Metadata.Name] = pod.Spec.NodeName
		}
	}
	return on, err
}

// affinityOf is the node affinity of a pod as JSON; empty where it has none.
func affinityOf(t *testing.T, c *cluster.Cluster, path string) string {
	t.Helper()
	var pod struct {
		Spec struct{ Affinity map[string]any }
	}
	must(t, c.Get(path, &pod))
	if pod.Spec.Affinity == nil {
		return ""
	}
	return fmt.Sprint(pod.Spec.Affinity)
}
