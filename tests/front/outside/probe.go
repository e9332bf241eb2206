package outside

import (
	"bufio"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
)

// A probe is a front_probe that runs.
type probe struct {
	process *exec.Cmd
	address string // of the front
	ops     string
}

// start runs front_probe, under a limit on descriptors where it is not 0, until the test ends.
func start(t *testing.T, certs string, descriptors int, arguments ...string) *probe {
	t.Helper()
	if *probePath == "" {
		t.Fatal("give the program to test: -probe PATH")
	}
	arguments = append([]string{*probePath, "--certs", certs}, arguments...)
	if descriptors > 0 {
		script := fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, descriptors)
		arguments = append([]string{"sh", "-c", script}, arguments...)
	}
	p := &probe{process: exec.Command(arguments[0], arguments[1:]...)}
	stdout, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.process.Stderr = testLog{t}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.process.Process.Kill(); p.process.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the probe did not become ready: %v", err)
	}
	var port, ops int
	if _, err := fmt.Sscanf(line, "ready %d %d", &port, &ops); err != nil {
		t.Fatalf("the probe said %q", line)
	}
	p.address, p.ops = fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("127.0.0.1:%d", ops)
	return p
}

// end asks the probe to end, as a kubelet does, and waits until it has.
func (p *probe) end() error {
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.process.Wait()
}

type testLog struct{ t *testing.T }

func (l testLog) Write(text []byte) (int, error) {
	l.t.Logf("probe: %s", text)
	return len(text), nil
}
