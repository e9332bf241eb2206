// Command controlplane is a Kubernetes control plane in one program, for tests: the components of a release, built
// from their Go modules, and three small parts of our own (`up`, `kubelet`, `record`). Which release: go.mod.
//
// Called by the name of a component (a link `kubectl`, say), it is that component. This file is the table of what
// it can be; everything is heavy to build here, so what changes often lives elsewhere.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	// Zones for CronJobs with a time zone, on machines that have none.
	_ "time/tzdata"

	// What the components register by being linked, as their own main packages do.
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"driftbar.io/tests/controlplane/internal/hostname"
	"driftbar.io/tests/controlplane/internal/kubelet"
	"driftbar.io/tests/controlplane/internal/up"
	"driftbar.io/tests/controlplane/recorder"
)

type part struct {
	name, does string
	run        func(args []string) int
}

var parts = []part{
	{"up", "run a control plane until told to stop", up.Command},
	{"kubelet", "bring nodes that run the pods bound to them as local processes", kubelet.Command},
	{"record", "run a webhook that allows everything and writes down each review", recorder.Command},
	{"kubectl", "kubectl", runKubectl},
	{"kube-apiserver", "the component", component(apiserver.NewAPIServerCommand)},
	{"kube-controller-manager", "the component", component(manager.NewControllerManagerCommand)},
	{"kube-scheduler", "the component", component(func() *cobra.Command { return scheduler.NewSchedulerCommand() })},
	{"with-hosts", "FILE COMMAND…: run a command with FILE as its /etc/hosts, in a mount namespace", withHosts},
}

func main() {
	args := append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	if p := find(args[0]); p != nil {
		os.Exit(p.call(args))
	}
	if len(args) > 1 {
		if p := find(args[1]); p != nil {
			os.Exit(p.call(args[1:]))
		}
	}
	usage()
	os.Exit(2)
}

func find(name string) *part {
	for i := range parts {
		if parts[i].name == name {
			return &parts[i]
		}
	}
	return nil
}

// call runs the part as if it were a program of its own: components read os.Args.
func (p *part) call(args []string) int {
	os.Args = args
	return p.run(args[1:])
}

func component(command func() *cobra.Command) func([]string) int {
	return func([]string) int { return cli.Run(command()) }
}

func runKubectl([]string) int {
	// As kubectl's own main does: the flags of logging are read before all others.
	if _, err := logs.GlogSetter(kubectl.GetLogVerbosity(os.Args)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err) // prints it and exits with kubectl's code
	}
	return 0
}

func withHosts(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: controlplane with-hosts FILE COMMAND…")
		return 2
	}
	fmt.Fprintln(os.Stderr, "controlplane:", hostname.Enter(args[0], args[1:]))
	return 1
}

func usage() {
	var text strings.Builder
	fmt.Fprintln(&text, "usage: controlplane PART [flags]")
	for _, p := range parts {
		fmt.Fprintf(&text, "  %-24s %s\n", p.name, p.does)
	}
	fmt.Fprint(os.Stderr, text.String())
}
