package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"driftbar.io/tests/controlplane/cluster"
)

// templatePolicy has a rule on content and one on placement.
const templatePolicy = `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: jobs}
spec:
  match: {workload: training}
  rules:
    - name: registry
      require: {image: "registry.example/*"}
      fix: push the image to registry.example
    - name: drifted
      avoidNodes: {label: driftbar.io/drift}
      fix: ask the node team to repair the pool, or widen the nodeSelector
`

// workload is an object that makes pods; its trainers' image and pool stand as IMAGE and POOL in the manifest.
type workload struct {
	manifest string
	resource string // as kubectl names it
	shown    string // as we do
	resume   string // the patch that ends suspension
}

const (
	onGPU = `nodeSelector: {pool: POOL}, containers: [{name: trainer, image: IMAGE, command: [sleep, "1000"], ` +
		`resources: {limits: {nvidia.com/gpu: 1}}}]`
	image      = "registry.example/t:1"
	repairPool = "  fix: ask the node team to repair the pool, or widen the nodeSelector\n"
)

var (
	bert = workload{`{apiVersion: batch/v1, kind: Job, metadata: {name: bert}, spec: {parallelism: 1,
		template: {spec: {restartPolicy: Never, terminationGracePeriodSeconds: 1, ` + onGPU + `}}}}`,
		"job.batch/bert", `Job "bert"`, `{"spec":{"suspend":false}}`}
	nightly = workload{`{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: "0 0 1 1 *",
		jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + onGPU + `}}}}}}`,
		"cronjob.batch/nightly", `CronJob "nightly"`, ""}
	eval = workload{`{apiVersion: apps/v1, kind: Deployment, metadata: {name: eval}, spec: {replicas: 1, selector: {matchLabels: {app: x}},
		template: {metadata: {labels: {app: x, driftbar.io/workload: training}}, spec: {terminationGracePeriodSeconds: 1, ` + onGPU + `}}}}`,
		"deployment.apps/eval", `Deployment "eval"`, ""}
	gpt = workload{`{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: gpt}, spec: {replicatedJobs: [
		{name: driver, template: {spec: {template: {spec: {containers: [{name: main, image: other.example/driver:1}]}}}}},
		{name: workers, replicas: 2, template: {spec: {template: {spec: {` + onGPU + `}}}}}]}}`,
		"jobset.jobset.x-k8s.io/gpt", `JobSet "gpt" (workers)`, `{"spec":{"suspend":false}}`}
	llama = workload{`{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: llama}, spec: {pytorchReplicaSpecs: {
		Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: registry.example/t:1, resources: {limits: {nvidia.com/gpu: 1}}}]}}},
		Worker: {replicas: 3, template: {spec: {` + onGPU + `}}}}}}`,
		"pytorchjob.kubeflow.org/llama", `PyTorchJob "llama" (Worker)`, `{"spec":{"runPolicy":{"suspend":false}}}`}
	tune = workload{`{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: tune}, spec: {rayClusterSpec: {
		headGroupSpec: {template: {spec: {containers: [{name: head, image: other.example/ray:1}]}}},
		workerGroupSpecs: [{groupName: gpus, replicas: 2, template: {spec: {` + onGPU + `}}}]}}}`,
		"rayjob.ray.io/tune", `RayJob "tune" (gpus)`, `{"spec":{"suspend":false}}`}
)

func (w workload) with(image, pool string) string {
	return strings.NewReplacer("IMAGE", image, "POOL", pool).Replace(w.manifest)
}

// suspended is the same object, which is not to start yet.
func (w workload) suspended() workload {
	suspend := "suspend: true"
	if strings.Contains(w.resume, "runPolicy") {
		suspend = "runPolicy: {suspend: true}"
	}
	w.manifest = strings.Replace(w.manifest, "spec: {", "spec: {"+suspend+", ", 1)
	return w
}

func (w workload) breaksRegistry(image string) string {
	return fmt.Sprintf(`jobs/registry: %s: image of container trainer is "%s", must match "registry.example/*"
  fix: push the image to registry.example
`, w.shown, image)
}

func (w workload) landsOnDrifted(node, drift string) string {
	return fmt.Sprintf(`jobs/drifted: %s can only land on drifted nodes (1 of 1)
  %s  label driftbar.io/drift is "%s"
`, w.shown, node, drift) + repairPool
}

var kindsOnce sync.Once

// customKinds makes the API server know the kinds of the folder crds.
func customKinds(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	kindsOnce.Do(func() {
		c.Kubectl(t, "apply", "-f", "crds").Must(t)
		c.Kubectl(t, "wait", "--for=condition=Established", "--timeout=60s", "-f", "crds").Must(t)
	})
}

// TestWorkloadIsRefusedByWhatItsPodsWouldBe: kinds of Kubernetes and of operators, at kubectl; and their pods, when
// their pool drifts later, in the same words where the owner's author looks.
func TestWorkloadIsRefusedByWhatItsPodsWouldBe(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	customKinds(t, c)
	c.StartNodes(t, gpuNode("jobs-01", map[string]string{"pool": "jobs-good"}),
		gpuNode("jobs-02", map[string]string{"pool": "jobs-bad", "driftbar.io/drift": "critical"}))
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--policies", manifest(t, "policy.yaml", templatePolicy), "--kubeconfig", c.Kubeconfig)
	register(t, c, gate, namespace)
	apply := func(t *testing.T, w workload, image, pool string) cluster.Output {
		return c.KubectlWith(t, w.with(image, pool), "-n", namespace, "apply", "-f", "-")
	}
	refused := func(message string) string {
		return denial(`error when creating "STDIN": `, "validate.driftbar.io", message)
	}

	for _, w := range []workload{bert, nightly, eval, gpt, llama, tune} {
		t.Run(w.resource, func(t *testing.T) {
			expect(t, apply(t, w, "none", "jobs-good"), 1, "", refused(w.breaksRegistry("none")))
			expect(t, apply(t, w, image, "jobs-bad"), 1, "", refused(w.landsOnDrifted("jobs-02", "critical")))
			expect(t, apply(t, w, image, "jobs-good"), 0, w.resource+" created\n", "")
		})
	}
	t.Run("both findings are told at once", func(t *testing.T) {
		both := workload{manifest: strings.Replace(bert.manifest, "bert", "both", 1), shown: `Job "both"`}
		expect(t, apply(t, both, "none", "jobs-bad"), 1, "",
			refused(both.breaksRegistry("none")+both.landsOnDrifted("jobs-02", "critical")))
	})
	t.Run("a Deployment without the label serves, and is left alone", func(t *testing.T) {
		serves := strings.NewReplacer("eval", "serve", ", driftbar.io/workload: training", "", "app: x", "app: serve").Replace(eval.manifest)
		expect(t, apply(t, workload{manifest: serves}, "none", "jobs-bad"), 0, "deployment.apps/serve created\n", "")
	})
	t.Run("an edit that moves it is refused", func(t *testing.T) {
		out := c.Kubectl(t, "-n", namespace, "patch", "deployment", "eval", "--type=merge", "-p",
			`{"spec":{"template":{"spec":{"nodeSelector":{"pool":"jobs-bad"}}}}}`)
		expect(t, out, 1, "", denial("", "validate.driftbar.io", eval.landsOnDrifted("jobs-02", "critical")))
		out = c.Kubectl(t, "-n", namespace, "set", "image", "deployment/eval", "trainer=none")
		expect(t, out, 1, "", `error: failed to patch image update to pod template: admission webhook "validate.driftbar.io" `+
			`denied the request: `+eval.breaksRegistry("none"))
	})
	t.Run("what was let in runs", func(t *testing.T) {
		c.Kubectl(t, "-n", namespace, "rollout", "status", "deployment/eval", "--timeout=60s").Must(t)
		c.Wait(t, namespace, "job/bert", "jsonpath={.status.ready}=1")
	})

	c.Kubectl(t, "label", "node", "jobs-01", "driftbar.io/drift=minor").Must(t)
	cluster.Eventually(t, "the gate knows that the pool has drifted", func() error {
		out := c.Kubectl(t, "-n", namespace, "create", "job", "now", "--from=cronjob/nightly", "--dry-run=server")
		if out.Code == 0 {
			return fmt.Errorf("%s", out)
		}
		expect(t, out, 1, "", `error: failed to create job: admission webhook "validate.driftbar.io" denied the request: `+
			workload{shown: `Job "now"`}.landsOnDrifted("jobs-01", "minor"))
		return nil
	})
	for _, row := range []struct {
		owner, shown, doing string
		args                []string
	}{
		{"eval-", `Pod "eval-NAME"`, "Error creating: ", []string{"scale", "deployment", "eval", "--replicas=2"}},
		{"bert", `Pod "bert-NAME"`, "Error creating: ", []string{"patch", "job", "bert", "--type=merge", "-p", `{"spec":{"parallelism":2}}`}},
		// As if it had last run a year ago, and slept through new year.
		{"nightly", `Job "nightly-NAME"`, "Error creating job: ", []string{"patch", "cronjob", "nightly", "--subresource=status", "--type=merge",
			"-p", fmt.Sprintf(`{"status":{"lastScheduleTime":"%s"}}`, time.Now().AddDate(-1, 0, 0).UTC().Format(time.RFC3339))}},
	} {
		t.Run("the event of "+row.owner, func(t *testing.T) {
			c.Kubectl(t, append([]string{"-n", namespace}, row.args...)...).Must(t)
			event := c.WaitForEvent(t, namespace, row.owner, "jobs/drifted")
			expectMatch(t, event, strings.TrimSuffix(row.doing+`admission webhook "validate.driftbar.io" denied the request: `+
				workload{shown: row.shown}.landsOnDrifted("jobs-01", "minor"), "\n"))
		})
	}
}

// TestSuspendedJobIsPlacedWhenItIsResumed: a queue may still choose where a suspended job goes.
func TestSuspendedJobIsPlacedWhenItIsResumed(t *testing.T) {
	t.Parallel()
	c := cluster.Shared(t)
	customKinds(t, c)
	c.StartNodes(t, gpuNode("wait-01", map[string]string{"pool": "wait-good"}),
		gpuNode("wait-02", map[string]string{"pool": "wait-bad", "driftbar.io/drift": "critical"}))
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--policies", manifest(t, "policy.yaml", templatePolicy), "--kubeconfig", c.Kubeconfig)
	register(t, c, gate, namespace)
	for _, w := range []workload{bert, gpt, llama, tune} {
		t.Run(w.resource, func(t *testing.T) {
			w := w.suspended()
			out := c.KubectlWith(t, w.with("none", "wait-bad"), "-n", namespace, "create", "-f", "-")
			expect(t, out, 1, "", denial(`error when creating "STDIN": `, "validate.driftbar.io", w.breaksRegistry("none")))
			out = c.KubectlWith(t, w.with(image, "wait-bad"), "-n", namespace, "create", "-f", "-")
			expect(t, out, 0, w.resource+" created\n", "")
			out = c.Kubectl(t, "-n", namespace, "patch", w.resource, "--type=merge", "-p", w.resume)
			expect(t, out, 1, "", denial("", "validate.driftbar.io", w.landsOnDrifted("wait-02", "critical")))
		})
	}
	t.Run("sent elsewhere it is resumed", func(t *testing.T) {
		out := c.Kubectl(t, "-n", namespace, "patch", "job", "bert", "--type=merge", "-p",
			`{"spec":{"suspend":false,"template":{"spec":{"nodeSelector":{"pool":"wait-good"}}}}}`)
		expect(t, out, 0, "job.batch/bert patched\n", "")
		c.Wait(t, namespace, "job/bert", "jsonpath={.status.ready}=1")
	})
}
