data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

data "aws_region" "current" {}

locals {
  # Every policy fits into a managed policy; a role has one for each area and one for what belongs to no area.
  policies = {
    for file in fileset("${path.module}/policies", "*/*.json") : trimsuffix(file, ".json") => {
      program = dirname(file)
      text = templatefile("${path.module}/policies/${file}", merge(
        local.buckets,
        { for name, arn in local.table_arns : name => element(split("/", arn), 1) },
        {
          partition = data.aws_partition.current.partition
          region    = data.aws_region.current.region
          account   = data.aws_caller_identity.current.account_id
          queue     = aws_sqs_queue.notices.arn
        },
      ))
    }
  }

  programs = toset(["analyzer", "ingest", "query", "setup"])
}

resource "aws_iam_policy" "program" {
  for_each = local.policies

  name   = "${var.name_prefix}-${replace(each.key, "/", "-")}"
  policy = jsonencode(jsondecode(each.value.text)) # without white space
  tags   = local.tags
}

# The services of ECS, and the service accounts of EKS (IRSA), that may assume the role of a program.
data "aws_iam_policy_document" "trust" {
  for_each = local.programs

  dynamic "statement" {
    for_each = var.ecs ? ["ecs-tasks.amazonaws.com"] : []

    content {
      actions = ["sts:AssumeRole"]

      principals {
        type        = "Service"
        identifiers = [statement.value]
      }
    }
  }

  dynamic "statement" {
    for_each = var.eks == null ? [] : [var.eks]

    content {
      actions = ["sts:AssumeRoleWithWebIdentity"]

      principals {
        type        = "Federated"
        identifiers = [statement.value.provider_arn]
      }

      condition {
        test     = "StringEquals"
        variable = "${statement.value.issuer}:sub"
        values   = ["system:serviceaccount:${statement.value.namespace}:${statement.value.service_account_prefix}${each.key}"]
      }

      condition {
        test     = "StringEquals"
        variable = "${statement.value.issuer}:aud"
        values   = ["sts.amazonaws.com"]
      }
    }
  }
}

resource "aws_iam_role" "program" {
  for_each = var.ecs || var.eks != null ? local.programs : toset([])

  name               = "${var.name_prefix}-${each.key}"
  assume_role_policy = data.aws_iam_policy_document.trust[each.key].json
  tags               = local.tags
}

resource "aws_iam_role_policy_attachment" "program" {
  for_each = { for key, policy in local.policies : key => policy.program if contains(keys(aws_iam_role.program), policy.program) }

  role       = aws_iam_role.program[each.value].name
  policy_arn = aws_iam_policy.program[each.key].arn
}

# With a customer's key, the programs also use the key, through DynamoDB, S3 and SQS only.
data "aws_iam_policy_document" "key" {
  count = var.kms_key_arn == null ? 0 : 1

  statement {
    sid       = "Use"
    actions   = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    resources = [var.kms_key_arn]

    condition {
      test     = "StringLike"
      variable = "kms:ViaService"
      values   = ["dynamodb.*.amazonaws.com", "s3.*.amazonaws.com", "sqs.*.amazonaws.com"]
    }
  }

  # DynamoDB creates grants for its own use of the key when a table is created.
  statement {
    sid       = "Grant"
    actions   = ["kms:CreateGrant"]
    resources = [var.kms_key_arn]

    condition {
      test     = "Bool"
      variable = "kms:GrantIsForAWSResource"
      values   = ["true"]
    }
  }
}

resource "aws_iam_role_policy" "key" {
  for_each = var.kms_key_arn == null ? toset([]) : toset(keys(aws_iam_role.program))

  name   = "key"
  role   = aws_iam_role.program[each.key].name
  policy = data.aws_iam_policy_document.key[0].json
}
