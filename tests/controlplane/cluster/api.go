package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// APIError is an answer of the API server that is not a success.
type APIError struct {
	Code    int
	Message string
}

func (e *APIError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Get reads what is at a path of the API server (`/api/v1/nodes/a`) into a value, by the rules of encoding/json;
// nil for nothing but whether it is there.
func (c *Cluster) Get(path string, into any) error { return c.Send(http.MethodGet, path, "", into) }

// Send sends a JSON body and reads the answer. A PATCH is a merge patch. It is for what a test asks often or what
// kubectl would not send; what users see is tested with Kubectl.
func (c *Cluster) Send(method, path, body string, into any) error {
	request, err := http.NewRequest(method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := c.api.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return apiError(answer.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

func apiError(code int, text []byte) error {
	var status struct{ Message string }
	if json.Unmarshal(text, &status) != nil || status.Message == "" {
		status.Message = string(text)
	}
	return &APIError{code, status.Message}
}

// remove deletes an object that may be gone already.
func (c *Cluster) remove(t testing.TB, path string) {
	t.Helper()
	var refusal *APIError
	err := c.Send(http.MethodDelete, path, "", nil)
	if err != nil && !(errors.As(err, &refusal) && refusal.Code == http.StatusNotFound) {
		t.Errorf("delete %s: %v", path, err)
	}
}
