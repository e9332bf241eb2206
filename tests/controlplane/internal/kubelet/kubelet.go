// Package kubelet is `controlplane kubelet`: nodes without machines. It registers Node objects, keeps their leases
// and their Ready condition, and runs the pods bound to them, each container's command as a process of this
// machine. It acts as system:node:NAME of group system:nodes, so the API server restricts it as it does a real one.
//
// What it does not do: images (the command must be a program of this machine; a container without a command just
// counts as running until it is told to stop), volumes, networks (a pod has an address that leads nowhere; its
// processes listen on the machine's loopback), logs over the API, exec, liveness and startup probes, sidecars, and
// the checks by which a real kubelet turns a bound pod away. It marks as such what it cannot run, see unsupported.
package kubelet

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"driftbar.io/tests/controlplane/internal/lifeline"
	"driftbar.io/tests/controlplane/internal/pki"
	"driftbar.io/tests/controlplane/internal/state"
)

type options struct {
	state          string
	nodes          []*corev1.Node
	untilStdinEnds bool
}

// Command runs `controlplane kubelet` until it is told to stop. It prints `REGISTERED NAME` for each node, and
// READY when all of them have said that they are ready.
func Command(args []string) int {
	options, err := parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubelet:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if options.untilStdinEnds {
		lifeline.Watch(stop)
	}
	if err := run(ctx, options); err != nil {
		fmt.Fprintln(os.Stderr, "kubelet:", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, o options) error {
	dir := state.Dir(o.state)
	authority, err := dir.Authority()
	if err != nil {
		return err
	}
	var registered, running sync.WaitGroup
	for _, object := range o.nodes {
		client, err := nodeClient(dir, authority, object.Name)
		if err != nil {
			return err
		}
		n := newNode(object, client, dir.File("pods"))
		registered.Add(1)
		running.Go(func() { n.run(ctx, registered.Done) })
	}
	go func() {
		registered.Wait()
		fmt.Println("READY")
	}()
	running.Wait()
	return nil
}

// nodeClient is the API server seen by one node.
func nodeClient(dir state.Dir, authority *pki.Authority, name string) (kubernetes.Interface, error) {
	file := "node-" + name
	if err := dir.Introduce(authority, file, "system:node:"+name, "system:nodes"); err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", dir.Kubeconfig(file))
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // no throttle: a test waits for us
	return kubernetes.NewForConfig(config)
}

func parse(args []string) (options, error) {
	var o options
	var files, names, labels, capacity words
	f := flag.NewFlagSet("kubelet", flag.ContinueOnError)
	f.StringVar(&o.state, "state", "", "folder of the control plane (`controlplane up` prints it)")
	f.Var(&files, "nodes", "`FILE` of Node objects, YAML or JSON, any number of documents; may be repeated")
	f.Var(&names, "node", "`NAME` of a plain node; may be repeated")
	f.Var(&labels, "label", "`KEY=VALUE`, a label of each --node; may be repeated")
	f.Var(&capacity, "capacity", "`RESOURCE=QUANTITY`, such as nvidia.com/gpu=8, of each --node; may be repeated")
	f.BoolVar(&o.untilStdinEnds, lifeline.Flag, false, "stop when standard input ends")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, file := range files {
		nodes, err := readNodes(file)
		if err != nil {
			return o, err
		}
		o.nodes = append(o.nodes, nodes...)
	}
	for _, name := range names {
		node, err := plainNode(name, labels, capacity)
		if err != nil {
			return o, err
		}
		o.nodes = append(o.nodes, node)
	}
	if o.state == "" || len(o.nodes) == 0 || f.NArg() > 0 {
		f.Usage()
		return o, fmt.Errorf("--state and at least one --node or --nodes are needed, and nothing else")
	}
	return o, nil
}

// words is a flag that may be repeated.
type words []string

func (w *words) String() string         { return strings.Join(*w, " ") }
func (w *words) Set(value string) error { *w = append(*w, value); return nil }

func plainNode(name string, labels, capacity words) (*corev1.Node, error) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		node.Labels[key] = value
	}
	node.Status.Capacity = corev1.ResourceList{}
	for _, amount := range capacity {
		name, text, _ := strings.Cut(amount, "=")
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, fmt.Errorf("--capacity %s: %w", amount, err)
		}
		node.Status.Capacity[corev1.ResourceName(name)] = quantity
	}
	return node, nil
}

func logf(node, format string, values ...any) {
	log.Printf("%s: %s", node, fmt.Sprintf(format, values...))
}
