// Package up is `controlplane up`: etcd in this process; kube-apiserver, kube-controller-manager and kube-scheduler
// as children, which are this same program by other names (each of them owns flags, metrics and a signal handler
// of the whole process, so they cannot share one). It prints what a caller needs, READY last, and stops on SIGTERM,
// on SIGINT, when a component dies, or when its standard input ends.
//
// What it is not: a cluster. There are no nodes until `controlplane kubelet` brings some, and no network at all.
package up

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"driftbar.io/tests/controlplane/internal/child"
	"driftbar.io/tests/controlplane/internal/etcd"
	"driftbar.io/tests/controlplane/internal/hostname"
	"driftbar.io/tests/controlplane/internal/lifeline"
	"driftbar.io/tests/controlplane/internal/pki"
	"driftbar.io/tests/controlplane/internal/state"
)

// patience is for one component to become ready on a machine that has other work: alone it takes 2 s.
const patience = 2 * time.Minute

var errStopped = errors.New("asked to stop")

// Command runs `controlplane up` and returns its exit code: 0 after a stop that was asked for.
func Command(args []string) int {
	options, err := parse(args)
	if err != nil {
		return 2
	}
	runtime.LockOSThread() // children die with the thread that starts them, see package child
	ctx, stop := context.WithCancelCause(context.Background())
	stopOnSignal(stop)
	if options.untilStdinEnds {
		lifeline.Watch(func() { stop(errStopped) })
	}
	if err := run(ctx, stop, options); !errors.Is(err, errStopped) {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		return 1
	}
	fmt.Println("STOPPED")
	return 0
}

func stopOnSignal(stop context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		stop(errStopped)
	}()
}

// plane is a control plane that is coming up, or up.
type plane struct {
	options options
	dir     state.Dir
	name    hostname.Name
	ca      *pki.Authority
	ports   ports
	etcdURL string
	family  *child.Family
}

// run returns why it ended; all that it started has ended by then.
func run(ctx context.Context, stop context.CancelCauseFunc, o options) error {
	dir, discard, err := stateDir(o.dir)
	if err != nil {
		return err
	}
	defer discard()
	p := &plane{options: o, dir: dir, name: hostname.Choose(), family: child.NewFamily(stop)}
	if o.ownHosts {
		p.name = hostname.Name{Host: hostname.Alias, Address: "127.0.0.1", NeedsFile: true}
	}
	if p.ports, err = freePorts(); err != nil {
		return err
	}
	if err := p.writeFiles(); err != nil {
		return err
	}
	server, err := etcd.Start(ctx, string(dir), p.ports.etcdClient, p.ports.etcdPeer)
	if err != nil {
		return err
	}
	defer server.Close()
	p.etcdURL = server.URL
	defer p.family.Stop()
	if err := p.start(ctx); err != nil {
		return err
	}
	p.announce()
	<-ctx.Done()
	return context.Cause(ctx)
}

// stateDir makes the folder; one that nobody named is removed by discard.
func stateDir(named string) (dir state.Dir, discard func(), err error) {
	if named == "" {
		made, err := os.MkdirTemp("", "controlplane-")
		return state.Dir(made), func() { os.RemoveAll(made) }, err
	}
	absolute, err := filepath.Abs(named)
	if err != nil {
		return "", nil, err
	}
	return state.Dir(absolute), func() {}, os.MkdirAll(absolute, 0o700)
}

// start brings the components up one after the other.
func (p *plane) start(ctx context.Context) error {
	for _, c := range components {
		pid, err := p.family.Start(p.command(c))
		if err != nil {
			return err
		}
		fmt.Println("PID", c.name, pid)
		waiting, cancel := context.WithTimeoutCause(ctx, patience,
			fmt.Errorf("%s was not ready in %v, see %s", c.name, patience, p.dir.Log(c.name)))
		err = c.ready(waiting, p)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// command is how a component is started: the API server, which alone calls webhooks, under our hosts file if need be.
func (p *plane) command(c component) child.Command {
	self, err := os.Executable()
	if err != nil {
		self = "/proc/self/exe"
	}
	argv := append([]string{self, c.name}, c.flags(p)...)
	command := child.Command{Name: c.name, Argv: argv, Log: p.dir.Log(c.name)}
	if c.callsWebhooks && p.name.NeedsFile {
		command.Argv = append([]string{self, "with-hosts", p.dir.File("hosts")}, argv...)
		command.Clone = hostname.Namespace()
	}
	return command
}

func (p *plane) announce() {
	token, err := p.dir.Read(state.Token)
	if err != nil {
		token = "?"
	}
	fmt.Println("STATE", p.dir)
	fmt.Println("KUBECONFIG", p.dir.Kubeconfig("admin"))
	fmt.Println("TOKEN", token)
	fmt.Println("HOST", p.name.Host, p.name.Address)
	fmt.Println("READY", p.url())
}
