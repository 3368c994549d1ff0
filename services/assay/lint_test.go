package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The lines of .golangci.yml around the rules that follow from the list of areas.
const (
	rulesBegin = "        # Generated from the list of areas. After a change: go test ./services/assay -run LintRules -update\n"
	rulesEnd   = "        # End of the generated rules.\n"
)

const repository = "github.com/assay-project/assay/"

// kernel lists the packages that an area may import, besides its own.
var kernel = []string{
	"area", "blob", "bus", "event", "extract", "guard", "lifecycle", "obs", "platform", "table", "tag", "upload",
}

// TestLintRules checks that the linter enforces the rules of imports for every area: an area depends on the kernel, a part of
// an area in a service on no other area, and what the areas of a service share on no area. It also checks that every folder
// of pkg has a rule.
func TestLintRules(t *testing.T) {
	const path = "../../.golangci.yml"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(file), rulesBegin)
	_, after, ends := strings.Cut(rest, rulesEnd)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", path, rulesBegin, rulesEnd)
	}
	var names []string
	for _, a := range areas(t) {
		names = append(names, a.Name)
	}
	compareDocument(t, path, before+rulesBegin+areaRules(names)+unlisted(before+after, names)+rulesEnd+after)
}

func areaRules(names []string) string {
	var b strings.Builder
	for _, name := range names {
		var allowed []string
		for _, folder := range append(kernel, name) {
			allowed = append(allowed, repository+"pkg/"+folder)
		}
		rule(&b, name, []string{"**/pkg/" + name + "/**", "!$test", "!**/*test/**"}, allowed,
			[]denied{{repository[:len(repository)-1], "an area depends on the kernel but on no other area"}})
	}
	for _, service := range []string{"ingest", "analyzer", "query"} {
		shared := []string{"**/services/" + service + "/*/**"}
		for _, name := range names {
			folder := "services/" + service + "/" + name
			shared = append(shared, "!**/"+folder+"/**")
			rule(&b, service+"-"+name, []string{"**/" + folder + "/**"}, nil, others(service, names, name, "an area does not depend on other areas; run.go lists the areas"))
		}
		shared = append(shared, "!**/*test/**")
		rule(&b, service+"-shared", shared, nil, others(service, names, "", "what areas share does not depend on areas"))
	}
	return b.String()
}

type denied struct{ pkg, desc string }

// others returns the packages of all areas except one in pkg and in a service.
func others(service string, names []string, except, desc string) []denied {
	var all []denied
	for _, name := range names {
		if name != except {
			all = append(all, denied{repository + "pkg/" + name, desc}, denied{repository + "services/" + service + "/" + name, desc})
		}
	}
	return all
}

func rule(b *strings.Builder, name string, files, allow []string, deny []denied) {
	fmt.Fprintf(b, "        %s:\n          list-mode: lax\n          files: ['%s']\n", name, strings.Join(files, "', '"))
	if len(allow) > 0 {
		fmt.Fprintf(b, "          allow: [%s]\n", strings.Join(allow, ", "))
	}
	b.WriteString("          deny:\n")
	for _, d := range deny {
		fmt.Fprintf(b, "            - {pkg: %s, desc: '%s'}\n", d.pkg, d.desc)
	}
}

// unlisted returns the rule that a new folder of pkg violates until it has a rule of its own.
func unlisted(rules string, names []string) string {
	listed := slices.Clone(names)
	for _, m := range regexp.MustCompile(`files: \['\*\*/pkg/(\w+)/\*\*'`).FindAllStringSubmatch(rules, -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(listed)
	files := []string{"**/pkg/**", "!$test", "!**/*test/**"}
	for _, folder := range slices.Compact(listed) {
		files = append(files, "!**/pkg/"+folder+"/**")
	}
	var b strings.Builder
	rule(&b, "unlisted", files, nil, []denied{{repository[:len(repository)-1], "a new folder of pkg needs a rule here: which packages of this repository may it import, and why?"}})
	return b.String()
}
