package terraform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/assay/permissions"
	"github.com/assay-project/assay/services/assay/setup"
)

// names are the settings of names, with the keys under which the templates of the policies refer to them.
var names = map[string]string{
	"ASSAY_TEXTFILE_TABLE": "text_analyzer_history", "ASSAY_FEED_TABLE": "sentiment_items_primary",
	"ASSAY_FEED_DASHBOARD_TABLE": "sentiment_items_dashboard", "ASSAY_PHOTOJOB_TABLE": "photoeditor_jobs",
	"LEANDA_NODES_TABLE": "leanda_ng_nodes", "LEANDA_FILES_TABLE": "leanda_ng_files",
	"LEANDA_WORKFLOW_STATE_TABLE": "leanda_ng_workflow_state", "ASSAY_PLATFORM_TABLE": "assay_platform",
	"ASSAY_PHOTOJOB_TEMP_BUCKET": "temp", "ASSAY_PHOTOJOB_FINAL_BUCKET": "final",
}

// Policies returns the templates of the policies of the services, by path relative to the module: policies/<program>/<area>.json.
// They refer to the partition, the region, the account, the queue, and the names of tables and buckets.
func Policies() (map[string][]byte, error) {
	environ := []string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"}
	for variable, key := range names {
		environ = append(environ, fmt.Sprintf("%s=${%s}", variable, key))
	}
	cfg, err := config.Load[setup.Config](environ)
	if err != nil {
		return nil, err
	}
	replace := strings.NewReplacer(
		"arn:aws:dynamodb:*:*:", "arn:${partition}:dynamodb:${region}:${account}:", "arn:aws:sqs:*:*:assay-notices", "${queue}",
		"arn:aws:s3:::assay-files", "arn:${partition}:s3:::${files}", "arn:aws:s3:::", "arn:${partition}:s3:::",
	)
	files := map[string][]byte{}
	for program, policies := range permissions.IAM(cfg.Areas(), platform.Storage(cfg.Platform)) {
		for name, policy := range policies {
			text, err := json.MarshalIndent(policy, "", "  ")
			if err != nil {
				return nil, err
			}
			files[fmt.Sprintf("policies/%s/%s.json", program, name)] = []byte(replace.Replace(string(text)) + "\n")
		}
	}
	return files, nil
}
