package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// shippedPolicy is the policy that comes with driftbar, without the packs beside it.
const shippedPolicy = "../../policies/training-nodes/policy.yaml"

// podRules are the requests that the gate judges.
var podRules = []cluster.Rule{
	{Operations: []string{"CREATE", "UPDATE"}, Resources: []string{"pods", "pods/ephemeralcontainers", "pods/resize"}},
}

// webhook is the gate as an administrator registers it.
func webhook(gate *cluster.Gate, namespaces ...string) cluster.Webhook {
	return cluster.Webhook{Name: "validate.driftbar.io", URL: gate.URL + "/validate", CA: gate.CA,
		Rules: podRules, Namespaces: namespaces}
}

// gpuNode has eight GPUs and such labels.
func gpuNode(name string, labels map[string]string) cluster.Node {
	return cluster.Node{Name: name, Labels: labels, Capacity: map[string]string{"nvidia.com/gpu": "8"}}
}

// trainingPod asks for a GPU; spec is what else stands in its spec, in YAML's flow style.
func trainingPod(name, spec string) string {
	if spec != "" {
		spec += ", "
	}
	return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: %s}, spec: {%scontainers: [{name: trainer, image: none, `+
		`command: [sleep, "1000"], resources: {limits: {nvidia.com/gpu: 1}}}]}}`, name, spec)
}

// manifest writes a file that kubectl is given, so that its messages name it.
func manifest(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func expect(t *testing.T, out cluster.Output, code int, stdout, stderr string) {
	t.Helper()
	if out.Code != code || out.Stdout != stdout || out.Stderr != stderr {
		t.Errorf("exit code %d, want %d\nstdout %q\nwant   %q\nstderr %q\nwant   %q", out.Code, code, out.Stdout, stdout, out.Stderr, stderr)
	}
}

// TestTrainingPodIsJudgedByTheNodesItCouldLandOn is the product in one test: what people see at kubectl.
func TestTrainingPodIsJudgedByTheNodesItCouldLandOn(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t,
		gpuNode("gate-01", map[string]string{"pool": "h100"}),
		gpuNode("gate-03", map[string]string{"pool": "h100", "driftbar.io/drift": "critical"}),
		gpuNode("gate-07", map[string]string{"pool": "a100", "driftbar.io/drift": "major"}),
		cluster.Node{Name: "gate-09", Labels: map[string]string{"pool": "a100"}, Capacity: map[string]string{"nvidia.com/gpu": "8"},
			Conditions: []cluster.Condition{{Type: "MaintenanceInProgress", Status: "True", Reason: "Firmware"}}})
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--policies", shippedPolicy, "--kubeconfig", c.Kubeconfig)
	c.Register(t, webhook(gate, namespace))
	apply := func(name, spec string) (cluster.Output, string) {
		file := manifest(t, name+".yaml", trainingPod(name, spec))
		return c.Kubectl(t, "-n", namespace, "apply", "-f", file), file
	}

	t.Run("pinned to a drifted node it is refused", func(t *testing.T) {
		out, file := apply("pinned", "nodeName: gate-03")
		expect(t, out, 1, "", fmt.Sprintf(`Error from server (Forbidden): error when creating "%s": admission webhook "validate.driftbar.io" denied the request: `+
			`training-nodes/drifted: Pod "pinned" can only land on drifted nodes (1 of 1)
  gate-03  label driftbar.io/drift is "critical"
  fix: ask the node team to repair the pool, or widen the nodeSelector
`, file))
	})
	t.Run("pinned to a clean node it is created", func(t *testing.T) {
		out, _ := apply("clean", "nodeName: gate-01")
		expect(t, out, 0, "pod/clean created\n", "")
	})
	t.Run("while one good node is left it is created", func(t *testing.T) {
		out, _ := apply("choice", "nodeSelector: {pool: h100}")
		expect(t, out, 0, "pod/choice created\n", "")
	})
	t.Run("two rules that close a pool together refuse it, and both are named", func(t *testing.T) {
		out, file := apply("mixed", "nodeSelector: {pool: a100}")
		expect(t, out, 1, "", fmt.Sprintf(`Error from server (Forbidden): error when creating "%s": admission webhook "validate.driftbar.io" denied the request: `+
			`training-nodes/drifted: Pod "mixed" can land on no safe node: 1 of 2 is drifted, the rest break training-nodes/being-changed
  gate-07  label driftbar.io/drift is "major"
  fix: ask the node team to repair the pool, or widen the nodeSelector
training-nodes/being-changed: Pod "mixed" can land on no safe node: 1 of 2 is unsafe, the rest break training-nodes/drifted
  gate-09  condition MaintenanceInProgress is "True"
  fix: wait until the node is back in service, or widen the nodeSelector
`, file))
	})
	t.Run("a node that drifts is in force at once", func(t *testing.T) {
		c.Kubectl(t, "label", "node", "gate-01", "driftbar.io/drift=minor").Must(t)
		cluster.Eventually(t, "the pool is refused", func() error {
			out, _ := apply("later", "nodeSelector: {pool: h100}")
			if out.Code == 0 {
				c.Kubectl(t, "-n", namespace, "delete", "pod", "later", "--now").Must(t)
				return fmt.Errorf("it was let in: %s", out)
			}
			const want = `training-nodes/drifted: Pod "later" can only land on drifted nodes (2 of 2)
  gate-01  label driftbar.io/drift is "minor"
  gate-03  label driftbar.io/drift is "critical"
`
			if !strings.Contains(out.Stderr, want) {
				t.Errorf("got %s", out)
			}
			return nil
		})
		c.Kubectl(t, "label", "node", "gate-01", "driftbar.io/drift-").Must(t)
	})
	t.Run("one that fits no node is created, with a warning that says why", func(t *testing.T) {
		out, _ := apply("nowhere", "nodeSelector: {pool: b200}")
		expect(t, out, 0, "pod/nowhere created\n", `Warning: driftbar: Pod "nowhere" fits none of 4 nodes: `+
			`4 are excluded by its nodeSelector; nearest: label pool is "a100" (2 nodes)`+"\n")
	})
	t.Run("one that serves is left alone", func(t *testing.T) {
		pod := strings.Replace(trainingPod("serves", "nodeName: gate-03"), "metadata: {", "metadata: {labels: {driftbar.io/workload: serving}, ", 1)
		out := c.KubectlWith(t, pod, "-n", namespace, "create", "-f", "-")
		expect(t, out, 0, "pod/serves created\n", "")
	})
	t.Run("a refused pod of a Deployment shows our first line in its events", func(t *testing.T) {
		c.Apply(t, namespace, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: train}, spec: {replicas: 1, selector: {matchLabels: {app: x}},
			template: {metadata: {labels: {app: x, driftbar.io/workload: training}}, spec: {nodeName: gate-03,
			containers: [{name: trainer, image: none, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}`)
		event := c.WaitForEvent(t, namespace, "train-", "can only land on drifted nodes (1 of 1)")
		if !strings.Contains(event, `denied the request: training-nodes/drifted: Pod "train-`) {
			t.Errorf("the event does not begin with our first line: %q", event)
		}
	})
	t.Run("what was let in runs", func(t *testing.T) {
		c.Wait(t, namespace, "pod/clean", "condition=Ready")
	})
}

// TestWarnRulePrintsAWarning shows the mode `warn` at kubectl.
func TestWarnRulePrintsAWarning(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t, gpuNode("warn-01", map[string]string{"health": "bad"}))
	namespace := c.Namespace(t)
	policy := manifest(t, "policy.yaml", `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: pilot}
spec:
  mode: warn
  match: {workload: training}
  rules:
    - name: health
      avoidNodes: {label: health, equals: bad}
    - name: team
      mode: enforce
      require: {label: team}
      fix: label the pod with the team that pays for it
`)
	gate := c.StartGate(t, "--policies", policy, "--kubeconfig", c.Kubeconfig)
	c.Register(t, webhook(gate, namespace))
	pod := strings.Replace(trainingPod("pilot", "nodeName: warn-01"), "metadata: {", "metadata: {labels: {team: nlp}, ", 1)
	expect(t, c.KubectlWith(t, pod, "-n", namespace, "create", "-f", "-"), 0, "pod/pilot created\n",
		`Warning: pilot/health: Pod "pilot" can only land on unsafe nodes (1 of 1): warn-01 (label health is "bad")`+"\n")

	out := c.KubectlWith(t, trainingPod("nobody", "nodeName: warn-01"), "-n", namespace, "create", "-f", "-")
	expect(t, out, 1, "", `Warning: pilot/health: Pod "nobody" can only land on unsafe nodes (1 of 1): warn-01 (label health is "bad")
Error from server (Forbidden): error when creating "STDIN": admission webhook "validate.driftbar.io" denied the request: `+
		`pilot/team: Pod "nobody": label team is missing, must be there
  fix: label the pod with the team that pays for it
`)
	if out := c.Kubectl(t, "-n", namespace, "label", "pod", "pilot", "team-"); out.Code != 1 || !strings.Contains(out.Stderr, "pilot/team") {
		t.Errorf("an update that takes the label off should be refused: %s", out)
	}
}

// TestFailurePolicyDecidesWhenTheGateIsDead shows that the gate stands in nobody's way but by the administrator's word.
func TestFailurePolicyDecidesWhenTheGateIsDead(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t, gpuNode("dead-01", map[string]string{"driftbar.io/drift": "critical"}))
	for _, row := range []struct {
		policy string
		code   int
		stderr string
	}{
		{"Fail", 1, `failed calling webhook "validate.driftbar.io"`},
		{"Ignore", 0, ""},
	} {
		t.Run(row.policy, func(t *testing.T) {
			namespace := c.Namespace(t)
			gate := c.StartGate(t, "--policies", shippedPolicy, "--kubeconfig", c.Kubeconfig)
			hook := webhook(gate, namespace)
			hook.FailurePolicy = row.policy
			c.Register(t, hook)
			pod := trainingPod("x", "nodeName: dead-01")
			if out := c.KubectlWith(t, pod, "-n", namespace, "create", "-f", "-"); out.Code != 1 {
				t.Fatalf("alive it should refuse: %s", out)
			}
			gate.Kill(t)
			out := c.KubectlWith(t, pod, "-n", namespace, "create", "-f", "-")
			if out.Code != row.code || !strings.Contains(out.Stderr, row.stderr) {
				t.Errorf("got %s", out)
			}
		})
	}
}

// TestPoliciesChangeWhileItServes swaps policies as a kubelet updates a mounted ConfigMap: by one symlink.
func TestPoliciesChangeWhileItServes(t *testing.T) {
	c := cluster.Shared(t)
	namespace := c.Namespace(t)
	mount := t.TempDir()
	version := 0
	swap := func(policy string) {
		t.Helper()
		version++
		folder := filepath.Join(mount, fmt.Sprint("..", version))
		must(t, os.Mkdir(folder, 0o700))
		must(t, os.WriteFile(filepath.Join(folder, "policy.yaml"), []byte(policy), 0o600))
		must(t, os.Symlink(filepath.Base(folder), filepath.Join(mount, "..next")))
		must(t, os.Rename(filepath.Join(mount, "..next"), filepath.Join(mount, "..data")))
	}
	policy := func(condition string) string {
		return "apiVersion: driftbar.io/v1alpha1\nkind: Policy\nmetadata: {name: p}\nspec:\n  rules:\n    - name: r\n      " + condition + "\n"
	}
	swap(policy("deny: {label: banned}"))
	must(t, os.Symlink("..data/policy.yaml", filepath.Join(mount, "policy.yaml")))
	gate := c.StartGate(t, "--policies", mount, "--kubeconfig", c.Kubeconfig)
	c.Register(t, webhook(gate, namespace))
	create := func(labels string) cluster.Output {
		pod := fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {generateName: x-, labels: {%s}}, spec: {containers: [{name: a, image: none}]}}`, labels)
		return c.KubectlWith(t, pod, "-n", namespace, "create", "-f", "-")
	}
	if out := create("banned: yes-it-is"); out.Code != 1 {
		t.Fatalf("the first set should refuse: %s", out)
	}

	swap(policy("deny: {label: other}"))
	cluster.Eventually(t, "the second set is in force", func() error {
		if out := create("other: a"); out.Code != 1 {
			return fmt.Errorf("got %s", out)
		}
		return nil
	})
	if out := create("banned: a"); out.Code != 0 {
		t.Errorf("the first set should be gone: %s", out)
	}

	swap(policy("deny: {lable: third}"))
	cluster.Eventually(t, "the bad set is told", func() error {
		_, text, err := gate.AskOps("/readyz?verbose")
		if err != nil || !strings.Contains(text, "a change since then cannot be used: ") || !strings.Contains(text, "policy.yaml:7:14: unknown") {
			return fmt.Errorf("got %q, %v", text, err)
		}
		return nil
	})
	if _, metrics, _ := gate.AskOps("/metrics"); !strings.Contains(metrics, `driftbar_policy_reloads_total{result="failure"} 1`) {
		t.Errorf("the failure is not counted:\n%s", metrics)
	}
	if out := create("other: a"); out.Code != 1 {
		t.Errorf("the second set should stay in force: %s", out)
	}
}

// TestTerminatedGateServesOn sends SIGTERM: not ready at once, still answering, then gone with exit code 0.
func TestTerminatedGateServesOn(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t, gpuNode("term-01", map[string]string{"driftbar.io/drift": "critical"}))
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--policies", shippedPolicy, "--kubeconfig", c.Kubeconfig, "--drain", "5s")
	c.Register(t, webhook(gate, namespace))
	gate.Signal(t, syscall.SIGTERM)
	cluster.Eventually(t, "it is not ready any more", func() error {
		code, text, err := gate.AskOps("/readyz")
		if err != nil || code != 503 {
			return fmt.Errorf("%d %s %v", code, text, err)
		}
		return nil
	})
	out := c.KubectlWith(t, trainingPod("x", "nodeName: term-01"), "-n", namespace, "create", "-f", "-")
	if out.Code != 1 || !strings.Contains(out.Stderr, "can only land on drifted nodes") {
		t.Errorf("while it drains it should answer: %s", out)
	}
	if code := gate.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestGateWithoutACluster is not ready, and lets nothing through.
func TestGateWithoutACluster(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t, gpuNode("alone-01", nil))
	namespace := c.Namespace(t)
	kubeconfig := strings.Replace(read(t, c.Kubeconfig), strings.TrimPrefix(c.URL, "https://127.0.0.1:"), "1", 1)
	gate := c.LaunchGate(t, "--policies", shippedPolicy, "--kubeconfig", manifest(t, "kubeconfig", kubeconfig))
	cluster.Eventually(t, "it says why it is not ready", func() error {
		code, text, err := gate.AskOps("/readyz")
		if err != nil || code != 503 || !strings.Contains(text, "[-]inventory failed: the first list is not complete: ") {
			return fmt.Errorf("%d %q %v", code, text, err)
		}
		return nil
	})
	c.Register(t, webhook(gate, namespace))
	out := c.KubectlWith(t, trainingPod("x", "nodeName: alone-01"), "-n", namespace, "create", "-f", "-")
	if out.Code != 1 || !strings.Contains(out.Stderr, "driftbar is not ready") {
		t.Errorf("got %s", out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}
