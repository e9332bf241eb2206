package cluster

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// standIn makes this test program a `serve` of a few lines, so that what starts and stops a gate is tested without one.
const standIn = "CLUSTER_TEST_IS_THE_GATE"

func TestMain(m *testing.M) {
	if os.Getenv(standIn) != "" {
		os.Exit(serve(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func serve(args []string) int {
	f := flag.NewFlagSet("serve", flag.ExitOnError)
	cert, key := f.String("tls-cert", "", ""), f.String("tls-key", "", "")
	listen, ops := f.String("listen", "", ""), f.String("ops-listen", "", "")
	policies, drain := f.String("policies", "", ""), f.Duration("drain", 0, "")
	f.Parse(args)
	if *policies == "broken" {
		fmt.Fprintln(os.Stderr, "error: policies do not load")
		return 2
	}
	go http.ListenAndServeTLS(*listen, *cert, *key, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "by the name of ", r.Host, ", drains for ", *drain)
	}))
	go http.ListenAndServe(*ops, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") }))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
	return 0
}

func withStandIn(t *testing.T) *Cluster {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(GateVariable, self)
	t.Setenv(standIn, "yes")
	return &Cluster{Host: "webhooks.driftbar.test", Address: "127.0.0.1", Dir: t.TempDir()}
}

func TestGateServesUnderTheClustersHostNameUntilStopped(t *testing.T) {
	c := withStandIn(t)
	gate := c.StartGate(t, "--policies", "good")
	answer, err := c.HTTPClient(gate.CA).Get(gate.URL + "/validate")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if want := "by the name of " + strings.TrimPrefix(gate.URL, "https://") + ", drains for 1s"; string(text) != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if code := gate.Stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestGateDrainsAsLongAsTheTestSays(t *testing.T) {
	c := withStandIn(t)
	gate := c.StartGate(t, "--drain", "7s")
	answer, err := c.HTTPClient(gate.CA).Get(gate.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); !strings.HasSuffix(string(text), ", drains for 7s") {
		t.Errorf("got %q", text)
	}
}

func TestKilledGateAnswersNoMore(t *testing.T) {
	c := withStandIn(t)
	gate := c.StartGate(t)
	gate.Kill(t)
	if code, _, err := gate.AskOps("/readyz"); err == nil {
		t.Errorf("it still answers with %d", code)
	}
}

func TestGateThatRefusesToStartTellsItsExitCode(t *testing.T) {
	gate := withStandIn(t).LaunchGate(t, "--policies", "broken")
	if code := gate.Wait(t); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if gate.Output() != "error: policies do not load\n" {
		t.Errorf("it printed %q", gate.Output())
	}
}

func TestMissingProgramIsAnErrorThatNamesTheVariable(t *testing.T) {
	for _, row := range []struct{ value, want string }{
		{"", "DRIFTBAR_BINARY is not set: it must name the driftbar under test"},
		{"/no/such/file", "DRIFTBAR_BINARY must name the driftbar under test: stat /no/such/file: no such file or directory"},
	} {
		t.Setenv(GateVariable, row.value)
		if _, err := program(GateVariable, "the driftbar under test"); err == nil || err.Error() != row.want {
			t.Errorf("%q: got %v, want %s", row.value, err, row.want)
		}
	}
}

func TestWebhookThatSaysLittleGetsTheDefaults(t *testing.T) {
	got := Webhook{Name: "a.b.c", URL: "https://h/validate", CA: []byte("x"), Rules: []Rule{{[]string{"CREATE"}, nil, []string{"pods"}}}}.configuration(t)
	const want = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"a.b.c"},` +
		`"webhooks":[{"admissionReviewVersions":["v1"],"clientConfig":{"caBundle":"eA==","url":"https://h/validate"},` +
		`"failurePolicy":"Fail","matchConditions":null,"name":"a.b.c",` +
		`"rules":[{"apiGroups":[""],"apiVersions":["*"],"operations":["CREATE"],"resources":["pods"]}],` +
		`"sideEffects":"None","timeoutSeconds":10}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNamespaceIsNamedAfterTheTest(t *testing.T) {
	for text, want := range map[string]string{
		"TestControlPlane/a_Job_completes": "testcontrolplane-a-job-completes",
		"TestX/" + strings.Repeat("y", 60): "testx-" + strings.Repeat("y", 34),
		"TestZ/_":                          "testz",
	} {
		if got := dnsLabel(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
