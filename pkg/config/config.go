// Package config reads a service's settings from environment variables.
//
// A setting is a field of a struct, with these tags:
//
//	NATSURL string `env:"ASSAY_NATS_URL,required" doc:"the URL of the NATS server, such as nats://127.0.0.1:4222"`
//	Drain   time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" use:"often" doc:"how long requests in progress may take on shutdown"`
//	Key     string `env:"ASSAY_S3_SECRET_KEY" secret:"true" doc:"the secret key for S3"`
//
// The doc tag describes the setting as a phrase. The use tag is must, often or rarely (the default) and states how
// likely a user is to set the variable; docs/settings.md groups variables by it. The value of a field tagged
// secret:"true" is never shown. Structs can be nested; `envPrefix` is supported.
package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Error lists the invalid variables, one sentence each, in the order of the struct's fields.
type Error struct {
	Problems []string
}

// Error returns the sentences, one per line.
func (e *Error) Error() string { return strings.Join(e.Problems, "\n") }

// Unusable wraps an error about parsed settings in an *Error. It returns nil for nil.
func Unusable(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Problems: []string{err.Error()}}
}

// Load fills a T, a struct with env tags, from an environment in the form of os.Environ. An empty variable is treated
// as unset, so that compose files and shells can forward unset variables. Load returns an *Error if a variable is
// missing or cannot be parsed, and another error if T itself is invalid.
func Load[T any](environ []string) (T, error) {
	set := env.ToMap(environ)
	maps.DeleteFunc(set, func(_, value string) bool { return value == "" })

	var settings T
	err := env.ParseWithOptions(&settings, env.Options{Environment: set})
	if err == nil {
		return settings, nil
	}
	problems, rest := explain[T](err, set)
	if rest != nil {
		return settings, fmt.Errorf("config: %T: %w", settings, rest)
	}
	return settings, &Error{Problems: problems}
}

// explain converts env's errors to sentences. An error that names no variable is a bug in the
// struct and is returned as rest.
func explain[T any](err error, set map[string]string) (problems []string, rest error) {
	for _, v := range Variables[T]() {
		value, given := set[v.Name]
		switch {
		case !given && v.Required:
			problems = append(problems, sentence(v.Name+" is not set", v))
		case given && !readable[T](v.Name, value):
			problems = append(problems, sentence(v.Name+" is "+shown(v, value)+", which is not "+kind(v.Type), v))
		}
	}
	if len(problems) == 0 {
		return nil, err
	}
	return problems, nil
}

// readable reports whether value can be parsed for the variable name. It parses a new T from that
// variable alone, because env's parse errors name the field and not the variable.
func readable[T any](name, value string) bool {
	var settings T
	err := env.ParseWithOptions(&settings, env.Options{Environment: map[string]string{name: value}})
	all, ok := errors.AsType[env.AggregateError](err)
	return !ok || !slices.ContainsFunc(all.Errors, func(err error) bool {
		_, missing := errors.AsType[env.VarIsNotSetError](err)
		_, empty := errors.AsType[env.EmptyVarError](err)
		return !missing && !empty
	})
}

func sentence(what string, v Variable) string {
	if v.Doc == "" {
		return what
	}
	return what + " (" + v.Doc + ")"
}

func shown(v Variable, value string) string {
	if v.Secret {
		return "set to a value (not shown)"
	}
	return fmt.Sprintf("%q", value)
}

// kind describes a type in words.
func kind(t reflect.Type) string {
	switch {
	case t.String() == "time.Duration":
		return "a duration (such as 30s or 5m)"
	case t.String() == "url.URL":
		return "a URL"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a non-negative integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a valid value"
}
