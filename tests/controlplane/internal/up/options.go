package up

import (
	"flag"
	"fmt"
	"net"
	"strings"

	"driftbar.io/tests/controlplane/internal/lifeline"
)

type options struct {
	dir            string
	controllers    string
	apiserver      string
	manager        string
	scheduler      string
	untilStdinEnds bool
	ownHosts       bool
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("up", flag.ContinueOnError)
	f.StringVar(&o.dir, "dir", "", "folder for keys, kubeconfigs and logs (default: a new one, removed at the end)")
	f.StringVar(&o.controllers, "controllers", strings.Join(controllers, ","), "what kube-controller-manager runs")
	f.StringVar(&o.apiserver, "apiserver-flags", "", "further flags of kube-apiserver, separated by spaces")
	f.StringVar(&o.manager, "controller-manager-flags", "", "further flags of kube-controller-manager")
	f.StringVar(&o.scheduler, "scheduler-flags", "", "further flags of kube-scheduler")
	f.BoolVar(&o.untilStdinEnds, lifeline.Flag, false, "stop when standard input ends")
	f.BoolVar(&o.ownHosts, "own-hosts", false, "run the API server under a hosts file of its own even where the machine's name would do")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		f.Usage()
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return o, nil
}

type ports struct{ apiserver, manager, scheduler, etcdClient, etcdPeer int }

// freePorts asks the kernel for five at once, so that no two are the same.
func freePorts() (ports, error) {
	var found [5]int
	for i := range found {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return ports{}, err
		}
		defer l.Close() // kept until all are found
		found[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports{found[0], found[1], found[2], found[3], found[4]}, nil
}
