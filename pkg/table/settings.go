package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Settings are settings of all tables. The zero value leaves the schemas unchanged, without replicas.
type Settings struct {
	Key      string            `env:"ASSAY_KMS_KEY" doc:"ARN of the KMS key that encrypts all tables; with ASSAY_REPLICAS a multi-Region key; default: keys managed by AWS"`
	Tags     map[string]string `env:"ASSAY_TABLE_TAGS" doc:"tags of all tables, such as team:search,cost:42, in addition to those in the data model"`
	Recovery string            `env:"ASSAY_PITR" envDefault:"default" doc:"tables with point-in-time recovery: default (as in the data model), all or none"`
	Replicas string            `env:"ASSAY_REPLICAS" doc:"other regions of the tables with replicas: default (as in the data model), or regions such as us-west-2,eu-west-1; default: none"`
}

// byDefault is the value of a setting that leaves a schema unchanged.
const byDefault = "default"

// Apply returns the schemas with the settings. It does not change its argument.
func (s Settings) Apply(schemas []Schema) ([]Schema, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	all := slices.Clone(schemas)
	for i := range all {
		create := *all[i].Create
		if s.Key != "" {
			create.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: &s.Key}
		}
		create.Tags = s.tags(create.Tags)
		all[i].Create = &create
		switch s.Recovery {
		case "all":
			all[i].Recovery = true
		case "none":
			all[i].Recovery = false
		}
		if len(all[i].Regions) > 0 {
			all[i].Replicas = s.replicas(all[i].Regions)
		}
	}
	return all, nil
}

func (s Settings) validate() error {
	switch s.Recovery {
	case "", byDefault, "all", "none":
	default:
		return fmt.Errorf("ASSAY_PITR is %q: must be default, all or none", s.Recovery)
	}
	if s.Key == "" {
		return nil
	}
	if key, err := arn.Parse(s.Key); err != nil || key.Service != "kms" || !strings.HasPrefix(key.Resource, "key/") {
		return fmt.Errorf("ASSAY_KMS_KEY is %q: must be the ARN of a key, such as arn:aws:kms:us-east-1:111122223333:key/1234abcd", s.Key)
	}
	return nil
}

// replicas returns the selected regions of a table for which the data model proposes some.
func (s Settings) replicas(proposed []string) []string {
	switch s.Replicas {
	case "":
		return nil
	case byDefault:
		return proposed
	}
	all := strings.Split(s.Replicas, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// tags returns the tags of a schema with those of the settings, sorted by key.
func (s Settings) tags(declared []types.Tag) []types.Tag {
	values := map[string]string{}
	for _, tag := range declared {
		values[*tag.Key] = *tag.Value
	}
	maps.Copy(values, s.Tags)
	return Tags(values)
}

// Tags returns tags sorted by key, or nil if there are none.
func Tags(values map[string]string) []types.Tag {
	var all []types.Tag
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, types.Tag{Key: &key, Value: aws.String(values[key])})
	}
	return all
}

// keyIn returns the ARN of the replica of a multi-Region key in a region.
func keyIn(key, region string) (string, error) {
	parsed, err := arn.Parse(key)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(parsed.Resource, "key/mrk-") {
		return "", fmt.Errorf("ASSAY_KMS_KEY is %q: replicas require a multi-Region key, whose id begins with mrk-", key)
	}
	parsed.Region = region
	return parsed.String(), nil
}
