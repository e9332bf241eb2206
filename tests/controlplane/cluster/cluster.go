// Package cluster gives a test a real Kubernetes control plane, nodes that run pods, kubectl, and webhooks that the
// API server calls as it would call a Service. Nothing of Kubernetes is compiled into it: it drives programs and
// speaks HTTP, so a test builds in seconds.
//
//	func TestMain(m *testing.M) { cluster.Main(m) }
//
//	func TestPinnedPodIsRefused(t *testing.T) {
//		c := cluster.Shared(t)
//		c.StartNodes(t, cluster.Node{Name: "gpu-07", Labels: map[string]string{"driftbar.io/drift": "critical"}})
//		namespace := c.Namespace(t)
//		gate := c.StartGate(t, "--policies", "testdata/policies", "--kubeconfig", c.Kubeconfig)
//		c.Register(t, cluster.Webhook{
//			Name: "pods.driftbar.io", URL: gate.URL + "/validate", CA: gate.CA, Namespaces: []string{namespace},
//			Rules: []cluster.Rule{{Operations: []string{"CREATE"}, Resources: []string{"pods"}}},
//		})
//		out := c.KubectlWith(t, pod, "create", "-n", namespace, "-f", "-")
//		if out.Code != 1 || out.Stderr != want {
//			t.Errorf("got %s", out)
//		}
//	}
//
// What is missing fails the test, it never skips it: BinaryVariable must name the program that build.sh makes, and,
// for StartGate, GateVariable the driftbar under test. All that a test starts ends with it, and with the test
// process however that ends. When a test has failed, what the programs printed is shown.
//
// One control plane serves all tests of a program (Shared); a test that wants its own flags starts one (Start).
// Tests keep out of each other's way by namespaces, by names of nodes, and by Webhook.Namespaces.
package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"driftbar.io/tests/controlplane/recorder"
)

// The environment variables that name the programs; ctest sets them.
const (
	BinaryVariable = "DRIFTBAR_CONTROLPLANE_BINARY"
	GateVariable   = "DRIFTBAR_BINARY"
)

// Cluster is a running control plane.
type Cluster struct {
	URL        string // of the API server, on 127.0.0.1
	Kubeconfig string // of an administrator with a client certificate
	Token      string // of another administrator
	Dir        string // keys, kubeconfigs, logs; pods/NAMESPACE_NAME_UID/CONTAINER.log
	// Host is the name by which the API server is to be sent to this machine, Address what servers that are called
	// by it listen on. See package hostname for the reason. Only the API server can be sure to resolve it; a test
	// uses HTTPClient.
	Host, Address string

	program  *Process
	api      *http.Client
	binary   string
	settling struct { // the recorder that tells when webhooks are in force
		once     sync.Once
		recorder *recorder.Recorder
		err      error
		count    int
		mutex    sync.Mutex
	}
}

// Start starts a control plane that ends with the test. flags are those of `controlplane up`.
func Start(t testing.TB, flags ...string) *Cluster {
	t.Helper()
	c, err := up(flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	c.explain(t)
	return c
}

var shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Shared is the one control plane of this test program, started by the first test that asks. Main stops it.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	shared.once.Do(func() { shared.cluster, shared.err = up(nil) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	shared.cluster.explain(t)
	return shared.cluster
}

// Main is what TestMain of a package that uses Shared calls: it runs the tests and exits.
func Main(m *testing.M) {
	code := m.Run()
	if shared.cluster != nil {
		shared.cluster.stop()
	}
	os.Exit(code)
}

// Namespace makes a namespace that is ready for pods and goes with the test. Its name tells the test's.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"generateName":"%s-"}}`, dnsLabel(t.Name()))
	var made struct{ Metadata struct{ Name string } }
	if err := c.Send(http.MethodPost, "/api/v1/namespaces", body, &made); err != nil {
		t.Fatal(err)
	}
	name := made.Metadata.Name
	t.Cleanup(func() { c.remove(t, "/api/v1/namespaces/"+name) })
	Eventually(t, "namespace "+name+" has its service account", func() error {
		return c.Get("/api/v1/namespaces/"+name+"/serviceaccounts/default", nil)
	})
	return name
}

// HTTPClient trusts ca and finds Host, which the machine itself may not know.
func (c *Cluster) HTTPClient(ca []byte) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(address); err == nil && host == c.Host {
			address = net.JoinHostPort(c.Address, port)
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: roots}}}
}

// PodLog is what a container has printed so far.
func (c *Cluster) PodLog(t testing.TB, namespace, pod, container string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.Dir, "pods", namespace+"_"+pod+"_*", container+".log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("log of %s/%s %s: found %v, %v", namespace, pod, container, files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func up(flags []string) (*Cluster, error) {
	binary, err := program(BinaryVariable, "the control plane, see tests/controlplane/build.sh")
	if err != nil {
		return nil, err
	}
	argv := append([]string{binary, "up", "--until-stdin-ends"}, flags...)
	process, err := launch("controlplane", argv, nil)
	if err != nil {
		return nil, err
	}
	if _, err := process.line(regexp.MustCompile(`(?m)^READY (.*)$`)); err != nil {
		process.end()
		return nil, err
	}
	c := &Cluster{program: process, binary: binary}
	for word, field := range map[string]*string{"READY": &c.URL, "KUBECONFIG": &c.Kubeconfig, "TOKEN": &c.Token, "STATE": &c.Dir, "HOST": &c.Host} {
		found, err := process.line(regexp.MustCompile(`(?m)^` + word + ` (.*)$`))
		if err != nil {
			process.end()
			return nil, err
		}
		*field = found[1]
	}
	c.Host, c.Address, _ = strings.Cut(c.Host, " ")
	return c, c.prepare()
}

// prepare makes what needs files of the control plane: the client, and a folder in which kubectl goes by its name.
func (c *Cluster) prepare() error {
	ca, err := os.ReadFile(filepath.Join(c.Dir, "ca.crt"))
	if err != nil {
		return err
	}
	c.api = c.HTTPClient(ca)
	if err := os.MkdirAll(filepath.Join(c.Dir, "bin"), 0o700); err != nil {
		return err
	}
	return os.Symlink(c.binary, filepath.Join(c.Dir, "bin", "kubectl"))
}

func (c *Cluster) stop() {
	if c.settling.recorder != nil {
		c.settling.recorder.Close()
	}
	c.api.CloseIdleConnections()
	c.program.end()
}

// explain shows what the components printed last, if the test turns out to fail.
func (c *Cluster) explain(t testing.TB) {
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		logs, _ := filepath.Glob(filepath.Join(c.Dir, "*.log"))
		for _, log := range logs {
			if text, err := os.ReadFile(log); err == nil {
				t.Logf("last of %s:\n%s", filepath.Base(log), lastLines(string(text), 15))
			}
		}
	})
}

// program is the path of a program that the tests cannot do without.
func program(variable, what string) (string, error) {
	path := os.Getenv(variable)
	if path == "" {
		return "", fmt.Errorf("%s is not set: it must name %s", variable, what)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(absolute); err != nil {
		return "", fmt.Errorf("%s must name %s: %w", variable, what, err)
	}
	return absolute, nil
}

var notInLabel = regexp.MustCompile(`[^a-z0-9]+`)

// dnsLabel is text as a part of a name of a namespace: at most 40 characters, so that a suffix has room.
func dnsLabel(text string) string {
	label := notInLabel.ReplaceAllString(strings.ToLower(text), "-")
	return strings.Trim(label[:min(len(label), 40)], "-")
}
