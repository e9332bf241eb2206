// Package child keeps a family of child processes: started one after the other, stopped in the reverse order, and
// never outliving their parent, because the kernel kills them when the thread that started them ends.
//
// That last word is the trap: a Go program may end a thread early. Whoever starts children locks the goroutine to
// its thread (runtime.LockOSThread) and keeps it.
package child

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// grace is how long a child has after SIGTERM. The API server closes its watches in well under a second once its
// clients are gone; a stuck one is killed, nothing of it is kept anyway.
const grace = 15 * time.Second

// Family is the children of one parent. OnDeath is called once for each child that ends before Stop.
type Family struct {
	OnDeath  func(error)
	members  []*member
	stopping chan struct{}
}

// Command is what to start, and where its output goes.
type Command struct {
	Name string
	Argv []string
	Log  string
	// Clone is for namespaces; zero for none.
	Clone syscall.SysProcAttr
}

type member struct {
	name  string
	cmd   *exec.Cmd
	ended chan struct{}
}

// NewFamily is an empty family.
func NewFamily(onDeath func(error)) *Family {
	return &Family{OnDeath: onDeath, stopping: make(chan struct{})}
}

// Start starts one more child and returns its process id.
func (f *Family) Start(c Command) (int, error) {
	log, err := os.Create(c.Log)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	m := &member{name: c.Name, cmd: exec.Command(c.Argv[0], c.Argv[1:]...), ended: make(chan struct{})}
	m.cmd.Stdout, m.cmd.Stderr = log, log
	attributes := c.Clone
	attributes.Pdeathsig, attributes.Setpgid = syscall.SIGKILL, true
	m.cmd.SysProcAttr = &attributes
	if err := m.cmd.Start(); err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	f.members = append(f.members, m)
	go f.watch(m, c.Log)
	return m.cmd.Process.Pid, nil
}

// Stop ends all children, the last started first: the API server outlives its clients.
func (f *Family) Stop() {
	close(f.stopping)
	for i := len(f.members) - 1; i >= 0; i-- {
		f.members[i].stop()
	}
}

func (f *Family) watch(m *member, log string) {
	err := m.cmd.Wait()
	close(m.ended)
	select {
	case <-f.stopping:
	default:
		f.OnDeath(fmt.Errorf("%s ended by itself (%v), see %s", m.name, err, log))
	}
}

func (m *member) stop() {
	_ = m.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
	select {
	case <-m.ended:
	case <-time.After(grace):
		_ = m.cmd.Process.Kill()
		<-m.ended
	}
}
