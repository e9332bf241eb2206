package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a program that a test runs. Its standard input is a pipe that ends with the test process.
type Process struct {
	Name string

	cmd    *exec.Cmd
	stdin  io.Closer
	output output
	ended  chan struct{}
}

// Launch starts a program that ends with the test; if the test fails, what it printed is shown. environment is
// added to the test's own.
func Launch(t testing.TB, name string, argv []string, environment ...string) *Process {
	t.Helper()
	p, err := launch(name, argv, environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.end()
		if t.Failed() {
			t.Logf("last of %s:\n%s", name, lastLines(p.Output(), 40))
		}
	})
	return p
}

// Output is all that it has printed so far, on standard output and standard error.
func (p *Process) Output() string { return p.output.String() }

// WaitFor waits until the program has printed what matches, and returns the match and its groups.
func (p *Process) WaitFor(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := p.line(regexp.MustCompile(pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Signal sends a signal.
func (p *Process) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
}

// Wait waits for the program's end and returns its exit code, -1 if a signal ended it.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(Deadline):
		t.Fatalf("%s still runs after %v", p.Name, Deadline)
	}
	return p.cmd.ProcessState.ExitCode()
}

// Stop sends SIGTERM and returns the exit code.
func (p *Process) Stop(t testing.TB) int {
	t.Helper()
	p.Signal(t, syscall.SIGTERM)
	return p.Wait(t)
}

// Kill ends the program at once, as a crash does.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	p.Signal(t, syscall.SIGKILL)
	p.Wait(t)
}

func launch(name string, argv, environment []string) (*Process, error) {
	p := &Process{Name: name, cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	// For programs that do not mind the end of their input.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		p.cmd.Wait() // its outcome is in ProcessState
		close(p.ended)
	}()
	return p, nil
}

// end stops it however it can, and returns when it is gone.
func (p *Process) end() {
	p.stdin.Close()
	p.cmd.Process.Signal(syscall.SIGTERM) // an error means that it is gone
	select {
	case <-p.ended:
	case <-time.After(Deadline):
		p.cmd.Process.Kill()
		<-p.ended
	}
}

// line waits for output that matches. A program that ends first will not print it any more.
func (p *Process) line(pattern *regexp.Regexp) ([]string, error) {
	failure := errors.New("it has not yet")
	for start := time.Now(); time.Since(start) < Deadline; time.Sleep(pause) {
		ended := p.hasEnded()
		if found := pattern.FindStringSubmatch(p.Output()); found != nil {
			return found, nil
		}
		if ended {
			failure = errors.New("it has ended: " + p.cmd.ProcessState.String())
			break
		}
	}
	return nil, fmt.Errorf("%s was to print %s, and %w; it printed:\n%s", p.Name, pattern, failure, lastLines(p.Output(), 40))
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// output is a buffer that may be read while it is written.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
