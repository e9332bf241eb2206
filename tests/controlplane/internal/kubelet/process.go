package kubelet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

// process is a container's command, in a process group of its own so that what it starts ends with it.
type process struct {
	cmd  *exec.Cmd
	code atomic.Int32
	done chan struct{}
}

// startProcess runs argv; its output is appended to the file log. exited is called, from another goroutine, when it
// has ended.
func startProcess(argv, environment []string, dir, log string, exited func()) (*process, error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return nil, err
	}
	output, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env, p.cmd.Dir = output, output, environment, dir
	if dir == "" {
		p.cmd.Dir = filepath.Dir(log)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.wait(exited)
	return p, nil
}

func (p *process) wait(exited func()) {
	err := p.cmd.Wait()
	p.kill() // a container ends with its first process
	p.code.Store(exitCode(err))
	close(p.done)
	exited()
}

// exitCode is the one a container runtime reports: 128 and the signal's number for a process that a signal ended.
func exitCode(err error) int32 {
	var failure *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &failure) {
		return 1
	}
	if status, ok := failure.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int32(status.Signal())
	}
	return int32(failure.ExitCode())
}

// exit returns the exit code once there is one.
func (p *process) exit() (code int32, exited bool) {
	select {
	case <-p.done:
		return p.code.Load(), true
	default:
		return 0, false
	}
}

// terminate asks the first process only, as container runtimes do; kill ends all of them. An error of either means
// that none is left.
func (p *process) terminate() { _ = syscall.Kill(p.cmd.Process.Pid, syscall.SIGTERM) }
func (p *process) kill()      { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

const reasonUnsupported = "UnsupportedByTestKubelet"

// unsupported says what of the container this kubelet cannot do and must not pass over; "" when there is nothing.
func unsupported(c *corev1.Container) string {
	switch {
	case c.RestartPolicy != nil:
		return "a container with a restartPolicy of its own"
	case len(c.EnvFrom) > 0:
		return "envFrom"
	case c.ReadinessProbe != nil && c.ReadinessProbe.HTTPGet == nil:
		return "a readiness probe other than httpGet"
	}
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.FieldRef == nil {
			return "valueFrom other than fieldRef in env " + e.Name
		}
	}
	return ""
}

// environmentOf is the variables that the pod gives the container, by name and as a process takes them; the latter
// with a PATH besides. Nothing else of ours leaks into it.
func environmentOf(object *corev1.Pod, c *corev1.Container, address string) (known map[string]string, list []string, err error) {
	list = []string{"PATH=" + os.Getenv("PATH"), "HOSTNAME=" + object.Name}
	known = map[string]string{}
	for _, e := range c.Env {
		value := expansion.Expand(e.Value, expansion.MappingFuncFor(known))
		if e.ValueFrom != nil {
			if value, err = fieldOf(object, e.ValueFrom.FieldRef.FieldPath, address); err != nil {
				return nil, nil, fmt.Errorf("env %s: %w", e.Name, err)
			}
		}
		known[e.Name] = value
		list = append(list, e.Name+"="+value)
	}
	return known, list, nil
}

// fieldOf knows the fields that the node adds to those of the object itself.
func fieldOf(object *corev1.Pod, path, address string) (string, error) {
	switch path {
	case "spec.nodeName":
		return object.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return object.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return address, nil
	case "status.hostIP", "status.hostIPs":
		return "127.0.0.1", nil
	default:
		return fieldpath.ExtractFieldPathAsString(object, path)
	}
}

// argvOf is command and args with $(NAME) replaced, as the API has it.
func argvOf(c *corev1.Container, known map[string]string) []string {
	var argv []string
	for _, word := range append(append([]string{}, c.Command...), c.Args...) {
		argv = append(argv, expansion.Expand(word, expansion.MappingFuncFor(known)))
	}
	return argv
}
