package main

import (
	"encoding/json"
	"strings"
)

// A pod template inside of an object, or the pod that the object is.
type template struct {
	place    string
	pod      any // a map of metadata and spec
	ranks    bool
	replicas int
}

type templateRow struct {
	path     string
	ranks    bool
	replicas string // a path or a number
}

type workloadRow struct {
	group, kind, resource string
	templates             []templateRow
	suspend               string
}

// Where the pod templates sit inside a kind of object.
var builtIn = []workloadRow{
	{"apps", "Deployment", "deployments", []templateRow{{"spec.template", true, "spec.replicas"}}, ""},
	{"apps", "ReplicaSet", "replicasets", []templateRow{{"spec.template", true, "spec.replicas"}}, ""},
	{"", "ReplicationController", "replicationcontrollers", []templateRow{{"spec.template", true, "spec.replicas"}}, ""},
	{"apps", "StatefulSet", "statefulsets", []templateRow{{"spec.template", true, "spec.replicas"}}, ""},
	{"apps", "DaemonSet", "daemonsets", []templateRow{{"spec.template", true, ""}}, ""},
	{"batch", "Job", "jobs", []templateRow{{"spec.template", true, "spec.parallelism"}}, "spec.suspend"},
	{"batch", "CronJob", "cronjobs", []templateRow{{"spec.jobTemplate.spec.template", true, "spec.jobTemplate.spec.parallelism"}}, ""},
	{"jobset.x-k8s.io", "JobSet", "jobsets", []templateRow{{"spec.replicatedJobs[*].template.spec.template", true, "spec.replicatedJobs[*].replicas"}}, "spec.suspend"},
	{"kubeflow.org", "PyTorchJob", "pytorchjobs", []templateRow{{"spec.pytorchReplicaSpecs[*].template", true, "spec.pytorchReplicaSpecs[*].replicas"}}, "spec.runPolicy.suspend"},
	{"kubeflow.org", "MPIJob", "mpijobs", []templateRow{
		{`spec.mpiReplicaSpecs.Launcher.template`, false, "spec.mpiReplicaSpecs.Launcher.replicas"},
		{`spec.mpiReplicaSpecs.Worker.template`, true, "spec.mpiReplicaSpecs.Worker.replicas"}}, "spec.runPolicy.suspend"},
	{"ray.io", "RayCluster", "rayclusters", []templateRow{
		{"spec.headGroupSpec.template", false, "1"},
		{"spec.workerGroupSpecs[*].template", true, "spec.workerGroupSpecs[*].replicas"}}, "spec.suspend"},
	{"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets", []templateRow{
		{"spec.leaderWorkerTemplate.leaderTemplate", true, "1"},
		{"spec.leaderWorkerTemplate.workerTemplate", true, "spec.leaderWorkerTemplate.size"}}, ""},
	{"batch.volcano.sh", "Job", "jobs", []templateRow{{"spec.tasks[*].template", true, "spec.tasks[*].replicas"}}, ""},
}

func workloadOf(set *policySet, request any) *workloadRow {
	group, name := text(request, "resource", "group"), text(request, "resource", "resource")
	for _, rows := range [][]workloadRow{set.workloads, builtIn} {
		for i := range rows {
			if rows[i].group == group && rows[i].resource == name {
				return &rows[i]
			}
		}
	}
	return nil
}

func isPods(request any) bool {
	return text(request, "resource", "group") == "" && text(request, "resource", "resource") == "pods"
}

func isNodes(request any) bool {
	return text(request, "resource", "group") == "" && text(request, "resource", "resource") == "nodes"
}

func templatesOf(set *policySet, request, object any) []template {
	if object == nil {
		return nil
	}
	if isPods(request) {
		return []template{{pod: object, ranks: true, replicas: 1}}
	}
	row := workloadOf(set, request)
	if row == nil {
		return nil
	}
	var out []template
	for _, t := range row.templates {
		var found []value
		(&world{}).from(object, stepsOf(t.path), "", nil, &found)
		for _, v := range found {
			if v.written {
				out = append(out, template{place: v.place, pod: podOf(v.v), ranks: t.ranks, replicas: replicasOf(object, t.replicas, v.place)})
			}
		}
	}
	return out
}

// podOf: what sits in the object is a pod template or a bare pod spec.
func podOf(found any) any {
	if get(found, "containers") != nil {
		return map[string]any{"spec": found}
	}
	return found
}

// replicasOf: of the element that the template is of; 1 where nothing is said.
func replicasOf(object any, path, place string) int {
	var found []value
	(&world{}).from(object, stepsOf(path), "", nil, &found)
	for _, v := range found {
		holder := v.place[:max(strings.LastIndex(v.place, "."), 0)]
		number, ok := v.v.(json.Number)
		if ok && strings.HasPrefix(place, holder) {
			n, _ := number.Int64()
			return int(n)
		}
	}
	return 1
}
