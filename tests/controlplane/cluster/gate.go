package cluster

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"driftbar.io/tests/controlplane/internal/pki"
)

// Gate is a `driftbar serve` under test.
type Gate struct {
	*Process
	URL string // without a path, under Cluster.Host
	Ops string // of the ops port, without a path
	CA  []byte // PEM: who vouches for the certificate
}

// StartGate starts `driftbar serve` with a certificate for Cluster.Host, on ports of its own, and waits until it is
// ready. flags say what it serves: --policies, and --kubeconfig or --inventory. It ends with the test, and drains for
// a second only, unless flags have another --drain: nobody routes to it who would have to notice.
func (c *Cluster) StartGate(t testing.TB, flags ...string) *Gate {
	t.Helper()
	g := c.LaunchGate(t, flags...)
	g.WaitReady(t)
	return g
}

// LaunchGate is StartGate without the wait, for a gate that does not become ready, or not at once.
func (c *Cluster) LaunchGate(t testing.TB, flags ...string) *Gate {
	t.Helper()
	driftbar, err := program(GateVariable, "the driftbar under test")
	if err != nil {
		t.Fatal(err)
	}
	authority, certificate, key := c.ServingPair(t)
	listen, ops := FreeAddress(t, c.Address), FreeAddress(t, "127.0.0.1")
	argv := append([]string{driftbar, "serve", "--tls-cert", certificate, "--tls-key", key,
		"--listen", listen, "--ops-listen", ops}, flags...)
	if !slices.Contains(flags, "--drain") {
		argv = append(argv, "--drain", "1s")
	}
	_, port, _ := net.SplitHostPort(listen)
	return &Gate{Process: Launch(t, "driftbar serve", argv, c.Environment()...),
		URL: "https://" + net.JoinHostPort(c.Host, port), Ops: "http://" + ops, CA: authority}
}

// WaitReady waits until /readyz of the ops port says 200.
func (g *Gate) WaitReady(t testing.TB) {
	t.Helper()
	Eventually(t, "driftbar is ready", func() error {
		if g.hasEnded() {
			t.Fatalf("driftbar has ended: %s\n%s", g.cmd.ProcessState, lastLines(g.Output(), 40))
		}
		code, text, err := g.AskOps("/readyz")
		if err == nil && code != http.StatusOK {
			err = fmt.Errorf("/readyz says %d: %s", code, text)
		}
		return err
	})
}

// AskOps gets a path of the ops port.
func (g *Gate) AskOps(path string) (code int, text string, err error) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(g.Ops + path)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

// ServingPair makes a certificate for Cluster.Host, Cluster.Address and localhost, and an authority of its own that
// vouches for it: the authority's certificate, and the files of the pair.
func (c *Cluster) ServingPair(t testing.TB) (ca []byte, certificate, key string) {
	t.Helper()
	authority, err := pki.NewAuthority("gate")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Server(c.Host, c.Address, "localhost")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	if err := pair.Save(certificate, key); err != nil {
		t.Fatal(err)
	}
	return authority.Cert, certificate, key
}

// FreeAddress is HOST:PORT with a port that nobody listens on, for programs that cannot choose one and tell.
func FreeAddress(t testing.TB, host string) string {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
