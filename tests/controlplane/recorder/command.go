package recorder

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"driftbar.io/tests/controlplane/internal/lifeline"
	"driftbar.io/tests/controlplane/internal/state"
)

// Command is `controlplane record`: it prints READY with its URL, writes webhooks.yaml by which it is registered for
// everything, and then a file for each review, named NUMBER.PATH.OPERATION.RESOURCE.NAME.json, until it is told to stop.
func Command(args []string) int {
	f := flag.NewFlagSet("record", flag.ContinueOnError)
	plane := f.String("state", "", "folder of the control plane (`controlplane up` prints it)")
	out := f.String("out", "", "folder for the reviews")
	untilStdinEnds := f.Bool(lifeline.Flag, false, "stop when standard input ends")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if *plane == "" || *out == "" || f.NArg() > 0 {
		f.Usage()
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if *untilStdinEnds {
		lifeline.Watch(stop)
	}
	if err := record(ctx, state.Dir(*plane), *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		return 1
	}
	return 0
}

func record(ctx context.Context, plane state.Dir, out string) error {
	name, err := plane.Read(state.Host)
	if err != nil {
		return err
	}
	host, address, _ := strings.Cut(name, " ")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	number := 0
	r, err := Start(host, address, func(review Review) {
		number++
		if err := writeWhole(filepath.Join(out, fileName(number, review)), review.Indented()); err != nil {
			fmt.Fprintln(os.Stderr, "record:", err)
		}
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "webhooks.yaml"), []byte(r.registration()), 0o644); err != nil {
		return err
	}
	fmt.Println("READY", r.URL)
	<-ctx.Done()
	r.Close()
	return nil
}

// writeWhole: whoever waits for the file never finds half of it.
func writeWhole(file string, text []byte) error {
	if err := os.WriteFile(file+".part", text, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}

func fileName(number int, r Review) string {
	part := func(text string) string { return strings.ReplaceAll(text, "/", "_") }
	return fmt.Sprintf("%06d.%s.%s.%s.%s.json", number, part(strings.TrimPrefix(r.Path, "/")),
		r.Request.Operation, part(r.What()), part(r.Request.Name))
}

// registration asks for every review there is. A recorder that is gone must not stop anything.
func (r *Recorder) registration() string {
	const layout = `apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: recorder}
webhooks:
- name: recorder.driftbar.test
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  clientConfig: {url: %s/%s, caBundle: %s}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"], scope: "*"}]
`
	bundle := base64.StdEncoding.EncodeToString(r.CA)
	return fmt.Sprintf(layout, "Validating", r.URL, "validate", bundle) + "---\n" +
		fmt.Sprintf(layout, "Mutating", r.URL, "mutate", bundle)
}
