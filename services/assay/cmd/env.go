package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func newEnv(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "env",
		Short: "Print the variables with which aws and nats connect to the embedded engines",
		Long: `Print the environment variables that make the AWS CLI, the AWS SDKs and the nats
command use the embedded engines of "assay serve" on this machine, as POSIX shell commands.
NATS_URL contains the user and the password of the NATS server. The AWS keys are not
printed; AWS_SHARED_CREDENTIALS_FILE names their file.`,
		Example: `  eval "$(assay env)"
  aws s3 ls s3://assay-files --endpoint-url "$AWS_ENDPOINT_URL_S3"
  nats stream ls`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := s.endpoints()
			if err != nil {
				return err
			}
			variables := [][2]string{
				{"AWS_PAGER", ""}, // version 2 of the AWS CLI fails if its pager is not installed
				{"NATS_URL", at.NATS},
				{"AWS_ENDPOINT_URL_S3", at.S3},
				{"AWS_ENDPOINT_URL_DYNAMODB", at.DynamoDB},
				{"AWS_ENDPOINT_URL_DYNAMODB_STREAMS", at.DynamoDB},
				{"AWS_REGION", at.Region},
				{"AWS_DEFAULT_REGION", at.Region}, // version 1 of the AWS CLI reads this one
			}
			if at.Credentials != "" {
				variables = append(variables, [2]string{"AWS_SHARED_CREDENTIALS_FILE", at.Credentials},
					[2]string{"AWS_CONFIG_FILE", os.DevNull}) // a role or login in the default profile takes precedence too
			}
			out := cmd.OutOrStdout()
			if s.json {
				object := map[string]string{}
				for _, v := range variables {
					object[v[0]] = v[1]
				}
				return writeJSON(out, object)
			}
			if at.Credentials != "" { // these take precedence over the credentials file
				if _, err := fmt.Fprintln(out, "unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_DEFAULT_PROFILE"); err != nil {
					return err
				}
			}
			for _, v := range variables {
				if _, err := fmt.Fprintf(out, "export %s='%s'\n", v[0], strings.ReplaceAll(v[1], "'", `'\''`)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
