package recorder

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"strings"
	"testing"
)

const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1","operation":"CONNECT",` +
	`"name":"a","namespace":"n","subResource":"exec","resource":{"group":"","version":"v1","resource":"pods"},"userInfo":{"username":"alice"}}}`

func post(t *testing.T, r *Recorder, http2 bool, path, body string) (int, string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(r.CA)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: http2}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Post(r.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func start(t *testing.T) *Recorder {
	t.Helper()
	r, err := Start("localhost", "127.0.0.1", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func TestReviewIsAllowedAndRememberedAsSent(t *testing.T) {
	r := start(t)
	code, text := post(t, r, false, "/validate?timeout=10s", review)
	const want = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u-1","allowed":true}}`
	if code != 200 || text != want {
		t.Errorf("got %d %s", code, text)
	}
	got := r.Reviews(nil)
	if len(got) != 1 || string(got[0].Body) != review || got[0].Path != "/validate" || got[0].What() != "pods/exec" ||
		got[0].Host != "localhost" || got[0].Request.UserInfo.Username != "alice" {
		t.Errorf("got %+v", got)
	}
	if name := fileName(7, got[0]); name != "000007.validate.CONNECT.pods_exec.a.json" {
		t.Errorf("file %s", name)
	}
}

func TestHTTPVersionIsTheCallersChoiceAndRecorded(t *testing.T) {
	r := start(t)
	post(t, r, false, "/validate", review)
	post(t, r, true, "/validate", review)
	got := r.Reviews(nil)
	if len(got) != 2 || got[0].Protocol != "HTTP/1.1" || got[1].Protocol != "HTTP/2.0" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsNoReviewIsRefusedAndNotRemembered(t *testing.T) {
	r := start(t)
	for _, body := range []string{"", "{}", "{", `{"request":{}}`} {
		if code, text := post(t, r, false, "/validate", body); code != 400 {
			t.Errorf("%q: got %d %s", body, code, text)
		}
	}
	if got := r.Reviews(nil); len(got) != 0 {
		t.Errorf("remembered %+v", got)
	}
}
