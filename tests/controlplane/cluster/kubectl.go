package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Output is what a command did. Code is -1 when a signal ended it.
type Output struct {
	Stdout, Stderr string
	Code           int

	command string
}

// String is for messages of tests.
func (o Output) String() string {
	return fmt.Sprintf("%s: exit code %d\nstdout:\n%s\nstderr:\n%s", o.command, o.Code, o.Stdout, o.Stderr)
}

// Must fails the test unless the command was good, and returns its standard output.
func (o Output) Must(t testing.TB) string {
	t.Helper()
	if err := o.failure(); err != nil {
		t.Fatal(err)
	}
	return o.Stdout
}

func (o Output) failure() error {
	if o.Code != 0 {
		return errors.New(o.String())
	}
	return nil
}

// Kubectl runs kubectl as the administrator.
func (c *Cluster) Kubectl(t testing.TB, args ...string) Output {
	t.Helper()
	return c.KubectlWith(t, "", args...)
}

// KubectlWith runs kubectl with stdin as its standard input.
func (c *Cluster) KubectlWith(t testing.TB, stdin string, args ...string) Output {
	t.Helper()
	return Run(t, stdin, c.Environment(), append([]string{filepath.Join(c.Dir, "bin", "kubectl")}, args...)...)
}

// Apply is `kubectl apply -f -` of a manifest, which must succeed. namespace "" is for what has none, or says its own.
func (c *Cluster) Apply(t testing.TB, namespace, manifest string) {
	t.Helper()
	c.KubectlWith(t, manifest, inNamespace(namespace, "apply", "-f", "-")...).Must(t)
}

// Environment is what a program needs to find this control plane, and kubectl by its name. HOME is a folder of the
// control plane, so that nobody's configuration is read and nobody's cache written.
func (c *Cluster) Environment() []string {
	return []string{"KUBECONFIG=" + c.Kubeconfig, "HOME=" + c.Dir,
		"PATH=" + filepath.Join(c.Dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// Run runs any command to its end; environment is added to the test's own.
func Run(t testing.TB, stdin string, environment []string, argv ...string) Output {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Deadline) // not t.Context: clean-ups run commands, too
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = append(os.Environ(), environment...)
	err := cmd.Run()
	if cmd.ProcessState == nil || ctx.Err() != nil {
		t.Fatalf("%s: %v, %v\n%s%s", strings.Join(argv, " "), err, ctx.Err(), &stdout, &stderr)
	}
	command := filepath.Base(argv[0]) + " " + strings.Join(argv[1:], " ")
	return Output{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode(), command: command}
}

func inNamespace(namespace string, args ...string) []string {
	if namespace == "" {
		return args
	}
	return append([]string{"--namespace", namespace}, args...)
}
