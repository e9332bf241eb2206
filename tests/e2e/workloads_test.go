package e2e

import (
	"fmt"
	"strings"
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

// workloadRules are what makes pods, what is asked of pods, and nodes.
var workloadRules = []cluster.Rule{
	{Operations: []string{"CREATE", "UPDATE"}, Groups: []string{"batch"}, Resources: []string{"jobs", "cronjobs"}},
	{Operations: []string{"CREATE", "UPDATE"}, Groups: []string{"apps"}, Resources: []string{"deployments"}},
	{Operations: []string{"CONNECT"}, Resources: []string{"pods/exec"}},
	{Operations: []string{"UPDATE"}, Resources: []string{"nodes"}},
}

const workloadPolicies = `
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: jobs}
spec:
  match: {workload: training}
  rules:
    - {name: host-network, deny: {field: pod.spec.hostNetwork, equals: true}}
    - {name: privileged, require: {privileged: false}}
    - {name: drifted, avoidNodes: {label: driftbar.io/drift}}
    - {name: token, deny: {env: [HF_TOKEN, NCCL_DEBUG], containers: ["*"]}}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: shells}
spec:
  match: {resources: [pods/exec], workload: training}
  rules:
    - {name: exec, require: {requestedBy: {groups: [oncall]}}, fix: "ask #oncall"}
---
apiVersion: driftbar.io/v1alpha1
kind: Policy
metadata: {name: node-edits}
spec:
  match: {resources: [nodes], names: ["work-*"]}
  except: [{requestedBy: {groups: [node-admins]}}]
  rules:
    - {name: labels, deny: {changed: node.metadata.labels, keys: [pool]}}
    - {name: taints, deny: {changed: node.spec.taints}}
---
apiVersion: driftbar.io/v1alpha1
kind: Exemption
metadata: {name: inc-4711}
spec:
  reason: firmware trial on rack 12
  expires: 2099-12-24
  rules: [jobs/host-network]
  match: {names: [trial]}
`

// job is a Job whose pod asks for a GPU; pod is what else stands in the pod's spec, spec in the Job's.
func job(name, spec, pod string) string {
	return fmt.Sprintf(`{apiVersion: batch/v1, kind: Job, metadata: {name: %s}, spec: {%s template: {spec: {%s restartPolicy: Never, `+
		`containers: [{name: trainer, image: none, command: [sleep, "1000"], resources: {limits: {nvidia.com/gpu: 1}}}]}}}}`, name, spec, pod)
}

// TestWhatMakesPodsIsJudgedAtApply shows that a Job, a CronJob and a Deployment are refused by what their pods would be
// refused for, where the person who applies them sees it; and what else of a cluster's life is judged.
func TestWhatMakesPodsIsJudgedAtApply(t *testing.T) {
	c := cluster.Shared(t)
	c.StartNodes(t,
		gpuNode("work-01", map[string]string{"pool": "w100"}),
		gpuNode("work-03", map[string]string{"pool": "w200", "driftbar.io/drift": "major"}))
	namespace := c.Namespace(t)
	gate := c.StartGate(t, "--policies", manifest(t, "policies.yaml", workloadPolicies), "--kubeconfig", c.Kubeconfig)
	hook := webhook(gate, namespace)
	hook.Rules = append(append([]cluster.Rule{}, podRules...), workloadRules...)
	c.Register(t, hook)
	apply := func(name, text string) (cluster.Output, string) {
		file := manifest(t, name+".yaml", text)
		return c.Kubectl(t, "-n", namespace, "apply", "-f", file), file
	}
	refused := func(file, words string) string {
		return fmt.Sprintf(`Error from server (Forbidden): error when creating "%s": admission webhook "validate.driftbar.io" denied the request: %s`+
			"\n", file, words)
	}

	t.Run("a Job is refused by what its template says, and all that breaks a rule is told", func(t *testing.T) {
		out, file := apply("bad", strings.Replace(job("bad", "", "hostNetwork: true,"), "image: none,",
			"image: none, securityContext: {privileged: true}, env: [{name: HF_TOKEN, value: secret}, {name: NCCL_DEBUG, value: INFO}],", 1))
		expect(t, out, 1, "", refused(file, `jobs/host-network: Job "bad": spec.template.spec.hostNetwork is true, must not be true
jobs/privileged: Job "bad": container trainer is privileged, must not be privileged
jobs/token: Job "bad": env HF_TOKEN of container trainer is (hidden), must not be there (and 1 more)
  env NCCL_DEBUG of container trainer is "INFO", must not be there`))
	})
	t.Run("a Job that can only land on drifted nodes is refused", func(t *testing.T) {
		out, file := apply("lost", job("lost", "", "nodeSelector: {pool: w200},"))
		expect(t, out, 1, "", refused(file, `jobs/drifted: Job "lost" can only land on drifted nodes (1 of 1)
  work-03  label driftbar.io/drift is "major"`))
	})
	t.Run("a CronJob and a Deployment that trains are judged alike", func(t *testing.T) {
		out, file := apply("nightly", `{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {schedule: "0 3 * * *", jobTemplate: {spec: {`+
			`template: {spec: {hostNetwork: true, restartPolicy: Never, containers: [{name: trainer, image: none, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}}}`)
		expect(t, out, 1, "", refused(file, `jobs/host-network: CronJob "nightly": spec.jobTemplate.spec.template.spec.hostNetwork is true, must not be true`))
		out, file = apply("served", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: served}, spec: {selector: {matchLabels: {a: b}}, template: {`+
			`metadata: {labels: {a: b, driftbar.io/workload: training}}, spec: {hostNetwork: true, containers: [{name: trainer, image: none, `+
			`resources: {limits: {nvidia.com/gpu: 1}}}]}}}}`)
		expect(t, out, 1, "", refused(file, `jobs/host-network: Deployment "served": spec.template.spec.hostNetwork is true, must not be true`))
	})
	t.Run("a suspended Job is let in, and judged when it is resumed", func(t *testing.T) {
		out, _ := apply("later", job("later", "suspend: true,", "nodeSelector: {pool: w200},"))
		expect(t, out, 0, "job.batch/later created\n", "")
		out = c.Kubectl(t, "-n", namespace, "patch", "job", "later", "-p", `{"spec":{"suspend":false}}`)
		expect(t, out, 1, "", `Error from server (Forbidden): admission webhook "validate.driftbar.io" denied the request: `+
			`jobs/drifted: Job "later" can only land on drifted nodes (1 of 1)
  work-03  label driftbar.io/drift is "major"
`)
		c.Kubectl(t, "-n", namespace, "annotate", "job", "later", "note=x").Must(t)
	})
	t.Run("what an exemption lifts is let in, with a warning that names it", func(t *testing.T) {
		out, _ := apply("trial", strings.Replace(job("trial", "suspend: true,", "hostNetwork: true,"), "image: none,", "image: none, ports: [],", 1))
		expect(t, out, 0, "job.batch/trial created\n", `Warning: jobs/host-network: lifted by exemption inc-4711 until 2099-12-24: Job "trial": `+
			`spec.template.spec.hostNetwork is true, must not be true`+"\n")
	})
	t.Run("exec is judged by the pod that it is into", func(t *testing.T) {
		c.Apply(t, namespace, trainingPod("bert", "nodeSelector: {pool: w100}"))
		c.Apply(t, namespace, `{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeName: work-01, containers: [{name: web, image: none}]}}`)
		out := c.Kubectl(t, "-n", namespace, "exec", "bert", "--", "true")
		const want = `denied the request: shells/exec: exec into Pod "bert": the request comes from "`
		if out.Code == 0 || !strings.Contains(out.Stderr, want) || !strings.Contains(out.Stderr, "\n  fix: ask #oncall") {
			t.Errorf("got %s, want %s", out, want)
		}
		out = c.Kubectl(t, "-n", namespace, "exec", "web", "--", "true")
		if strings.Contains(out.Stderr, "denied the request") {
			t.Errorf("a pod that does not train was refused: %s", out)
		}
	})
	t.Run("a guarded label or taint of a node is refused, and all else of a node goes on", func(t *testing.T) {
		out := c.Kubectl(t, "label", "node", "work-01", "pool=other", "--overwrite")
		expect(t, out, 1, "", `Error from server (Forbidden): admission webhook "validate.driftbar.io" denied the request: `+
			`node-edits/labels: Node "work-01": label pool is changed from "w100" to "other", must not be changed`+"\n")
		out = c.Kubectl(t, "taint", "node", "work-01", "gpu=bad:NoSchedule")
		if out.Code == 0 || !strings.Contains(out.Stderr, `node-edits/taints: Node "work-01": taint gpu:NoSchedule is added, must not be changed`) {
			t.Errorf("got %s", out)
		}
		c.Kubectl(t, "label", "node", "work-01", "note=x").Must(t)
		c.Kubectl(t, "cordon", "work-01").Must(t) // Kubernetes' own taint does not count
		c.Kubectl(t, "uncordon", "work-01").Must(t)
		c.Kubectl(t, "--as", "ann", "--as-group", "node-admins", "--as-group", "system:masters", "label", "node", "work-01", "pool=w300", "--overwrite").Must(t)
	})
}
