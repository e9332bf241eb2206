// The reference evaluator: the policy language a second time, as slow and simple as it can be, from the text of its
// contract alone.
//
// It shares no code with the program that it judges, interprets the documents as they are written, and asks
// Kubernetes' own libraries where the language defers to Kubernetes: quantities, label selectors, affinity, taints,
// effective requests. Regular expressions are Go's, which are RE2's. It reads cases, one JSON map a line, and answers
// each with one line; README.md says what a case and an answer are. It takes for granted that documents load: what
// is wrong with a document is for the program to say.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	v1 "k8s.io/api/core/v1"
)

type testCase struct {
	Policies   []any     `json:"policies"` // documents of every kind
	Requests   []any     `json:"requests"` // what an AdmissionReview has in `request`
	Nodes      []any     `json:"nodes"`
	Namespaces []any     `json:"namespaces"`
	Now        time.Time `json:"now"`
	Stale      bool      `json:"stale"`  // out of touch for longer than the inventory may be trusted
	System     []string  `json:"system"` // globs of system namespaces, besides kube-*
	NoNodes    bool      `json:"noInventory"`
	Found      *found    `json:"found"` // what a look-up would find; absent: nothing is looked up

	typed []*v1.Node // Nodes, as Kubernetes reads them
}

// found has pods and owners by what names them, and nodes that the inventory does not have.
type found struct {
	Pods   []any `json:"pods"`
	Owners []any `json:"owners"`
	Nodes  []any `json:"nodes"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		out.Write(answer(line))
		out.WriteByte('\n')
		out.Flush()
	}
}

// A case that can't be judged gives {"error": …}; that is a mistake of the case or of this program, and never an answer.
func answer(line []byte) (text []byte) {
	defer func() {
		if bug := recover(); bug != nil {
			text = mustMarshal(map[string]string{"error": fmt.Sprintf("%v\n%s", bug, debug.Stack())})
		}
	}()
	var c testCase
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&c); err != nil {
		return mustMarshal(map[string]string{"error": err.Error()})
	}
	set := readPolicies(c.Policies)
	answers := []*verdict{}
	for _, request := range c.Requests {
		answers = append(answers, judge(set, &c, request))
	}
	return mustMarshal(map[string]any{"answers": answers})
}

func mustMarshal(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
