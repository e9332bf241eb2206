package up

import (
	"context"
	"fmt"
	"strings"

	"driftbar.io/tests/controlplane/internal/state"
)

// component is one child: its flags, and what it is to be waited for.
type component struct {
	name          string
	callsWebhooks bool
	flags         func(*plane) []string
	ready         func(context.Context, *plane) error
}

// components in the order in which they are started. The controller manager makes the service account without which
// no pod can be created, so being ready includes that.
var components = []component{
	{"kube-apiserver", true, apiserverFlags, apiserverReady},
	{"kube-controller-manager", false, managerFlags, managerReady},
	{"kube-scheduler", false, schedulerFlags, schedulerReady},
}

// controllers are those without which some workload would not run, or something would be left behind. Left out are
// clouds, volumes, certificates and addresses of nodes: nothing here has them.
var controllers = []string{
	// workloads
	"job-controller", "cronjob-controller", "deployment-controller", "replicaset-controller",
	"replicationcontroller-controller", "statefulset-controller", "daemonset-controller", "disruption-controller",
	// nodes: readiness to taints, NoExecute taints to evictions
	"node-lifecycle-controller", "taint-eviction-controller",
	// services
	"endpoints-controller", "endpointslice-controller",
	// namespaces and what lives in each
	"namespace-controller", "serviceaccount-controller", "serviceaccount-token-controller",
	"root-ca-certificate-publisher-controller", "resourcequota-controller",
	// roles, and cleaning up
	"clusterrole-aggregation-controller", "garbage-collector-controller", "pod-garbage-collector-controller",
	"ttl-after-finished-controller",
}

func apiserverFlags(p *plane) []string {
	return append([]string{
		"--etcd-servers=" + p.etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.ports.apiserver),
		"--tls-cert-file=" + p.dir.File("apiserver.crt"),
		"--tls-private-key-file=" + p.dir.File("apiserver.key"),
		"--client-ca-file=" + p.dir.File(state.CACert),
		"--token-auth-file=" + p.dir.File("tokens.csv"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + p.dir.File("serviceaccount.pub"),
		"--service-account-signing-key-file=" + p.dir.File("serviceaccount.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",              // an endpoint on loopback is refused
		"--kubelet-preferred-address-types=InternalIP", // else it looks the names of nodes up in DNS
		"--profiling=false",
		"-v=1",
	}, strings.Fields(p.options.apiserver)...)
}

func managerFlags(p *plane) []string {
	return append(append(clientFlags(p, "controller-manager", p.ports.manager),
		"--controllers="+p.options.controllers,
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+p.dir.File("serviceaccount.key"),
		"--root-ca-file="+p.dir.File(state.CACert),
	), strings.Fields(p.options.manager)...)
}

func schedulerFlags(p *plane) []string {
	return append(clientFlags(p, "scheduler", p.ports.scheduler), strings.Fields(p.options.scheduler)...)
}

// clientFlags are those of both of the API server's clients. There is one of each, so none leads.
func clientFlags(p *plane, user string, port int) []string {
	kubeconfig := p.dir.Kubeconfig(user)
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--authentication-skip-lookup=true",
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"-v=1",
	}
}
