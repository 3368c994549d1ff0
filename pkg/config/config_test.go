package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/config"
)

type engine struct {
	Addr    string        `env:"ADDR,required" doc:"the address, such as 127.0.0.1:4222"`
	Timeout time.Duration `env:"TIMEOUT" envDefault:"2s" doc:"how long a call may take"`
}

type settings struct {
	Name    string `env:"ASSAY_NAME" envDefault:"assay"`
	NATS    engine `envPrefix:"ASSAY_NATS_"`
	S3      engine `envPrefix:"ASSAY_S3_"`
	Workers uint   `env:"ASSAY_WORKERS" envDefault:"4" use:"often" doc:"the number of workers"`
	Key     int    `env:"ASSAY_KEY" secret:"true" doc:"the key"`
}

func TestLoadReadsValuesAndDefaults(t *testing.T) {
	got, err := config.Load[settings]([]string{
		"ASSAY_NATS_ADDR=a:1", "ASSAY_S3_ADDR=b:2", "ASSAY_S3_TIMEOUT=5m", "ASSAY_WORKERS=", "UNRELATED=x",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := settings{
		Name: "assay", Workers: 4,
		NATS: engine{Addr: "a:1", Timeout: 2 * time.Second},
		S3:   engine{Addr: "b:2", Timeout: 5 * time.Minute},
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLoadReturnsOneSentencePerError(t *testing.T) {
	const given = "ASSAY_NATS_ADDR is not set (the address, such as 127.0.0.1:4222)"
	tests := []struct {
		name    string
		environ []string
		want    []string
	}{
		{"missing", []string{"ASSAY_S3_ADDR=b"}, []string{given}},
		{"an empty variable is missing", []string{"ASSAY_NATS_ADDR=", "ASSAY_S3_ADDR=b"}, []string{given}},
		{
			"same field of two structs, the second one invalid",
			[]string{"ASSAY_NATS_ADDR=a", "ASSAY_S3_ADDR=b", "ASSAY_NATS_TIMEOUT=1s", "ASSAY_S3_TIMEOUT=soon"},
			[]string{`ASSAY_S3_TIMEOUT is "soon", which is not a duration (such as 30s or 5m) (how long a call may take)`},
		},
		{
			"several, in the order of the fields",
			[]string{"ASSAY_S3_ADDR=b", "ASSAY_WORKERS=-1"},
			[]string{given, `ASSAY_WORKERS is "-1", which is not a non-negative integer (the number of workers)`},
		},
		{
			"a secret is not shown",
			[]string{"ASSAY_NATS_ADDR=a", "ASSAY_S3_ADDR=b", "ASSAY_KEY=hunter2"},
			[]string{"ASSAY_KEY is set to a value (not shown), which is not an integer (the key)"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Load[settings](test.environ)
			bad, ok := errors.AsType[*config.Error](err)
			if !ok {
				t.Fatalf("got error %v, want a *config.Error", err)
			}
			if !slices.Equal(bad.Problems, test.want) {
				t.Errorf("got\n%s\nwant\n%s", err, strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestLoadRejectsInvalidStructs(t *testing.T) {
	type unusable struct {
		Ch chan int `env:"ASSAY_CH" envDefault:"x"`
	}
	_, err := config.Load[unusable](nil)
	if _, ok := errors.AsType[*config.Error](err); err == nil || ok {
		t.Errorf("got error %v, want one about the struct", err)
	}
}

func TestVariablesDescribesEveryField(t *testing.T) {
	uses := map[string][2]string{
		"ASSAY_NATS_ADDR": {config.Must, "NATS"}, "ASSAY_S3_TIMEOUT": {config.Rarely, "S3"}, "ASSAY_WORKERS": {config.Often, "Workers"},
	}
	names := []string{}
	for _, v := range config.Variables[settings]() {
		names = append(names, v.Name)
		if v.Name == "ASSAY_NATS_ADDR" && (!v.Required || v.Doc == "" || v.Secret) {
			t.Errorf("ASSAY_NATS_ADDR: got %+v, want it required, documented and not secret", v)
		}
		if want, listed := uses[v.Name]; listed && want != [2]string{v.Use, v.Part} {
			t.Errorf("%s: got use %q and part %q, want %q and %q", v.Name, v.Use, v.Part, want[0], want[1])
		}
		if v.Name == "ASSAY_KEY" && !v.Secret {
			t.Error("ASSAY_KEY: got Secret = false, want true")
		}
	}
	want := []string{
		"ASSAY_NAME", "ASSAY_NATS_ADDR", "ASSAY_NATS_TIMEOUT", "ASSAY_S3_ADDR", "ASSAY_S3_TIMEOUT",
		"ASSAY_WORKERS", "ASSAY_KEY",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}
