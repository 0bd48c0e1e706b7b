//! The recordings of agents' own streams, of DashScope, and of a session that only translates.

use jsonspigot_llm::Provider::{ClaudeCode, Codex, Dashscope, OpenaiResponses};

use super::table::{Row, row};

pub(super) const AGENTS_AND_NATIVE: [Row; 16] = [
    row(
        "claude-code/control-initialize.jsonl",
        ClaudeCode,
        &[r#"Bash complete {"command":"wc -c '/Users/user/openinference/"#],
        &[("text", "    2440 /Users/user/openinference/")],
        &[],
        1,
    ),
    row(
        "claude-code/error-max-turns.jsonl",
        ClaudeCode,
        &[
            r#"Write complete {"file_path":"/Users/user/projects/mycode/rust/claude-agent-sdk-rs/tools/test.txt","content":"Hello World"}"#,
            r#"Bash complete {"command":"echo \"Hello World\" > test.txt","description":"Create test.txt with Hello World"}"#,
            r#"Read complete {"file_path":"/Users/user/projects/mycode/rust/claude-agent-sdk-rs/tools/test.txt"}"#,
        ],
        &[("text", "I'll create a file called test.txt with the text 'Hello World'")],
        &[],
        1,
    ),
    // Its first token comes with the start of the message, and once more in a block.
    row(
        "claude-code/partial-messages.jsonl",
        ClaudeCode,
        &[],
        &[("text", "I'll count from 1 to 5 with brief explanations for each number.")],
        &["end_turn"],
        3,
    ),
    row(
        "claude-code/permission-denied.jsonl",
        ClaudeCode,
        &[
            r#"Bash complete {"command":"ls -la /tmp","description":"List files in /tmp directory"}"#,
            r#"Bash complete {"command":"date","description":"Show the current date"}"#,
            r#"Bash complete {"command":"test -f /etc/passwd && echo"#,
        ],
        &[],
        &[],
        1,
    ),
    row(
        "claude-code/subagent-explore.jsonl",
        ClaudeCode,
        &[
            r#"Agent complete {"description":"Count .rs files in directory","subagent_type":"Explore","prompt":"Count how many"#,
            r#"Bash complete {"command":"find /home/user/repos/rust-code-agent-sdks/claude-codes/src -name \"*.rs\" -type f | wc -l""#,
        ],
        &[
            ("reasoning", "The user wants me to use the Task tool to launch an Explore subagent"),
            ("text", "I'll launch an Explore subagent to count the `.rs` files in that directory.There are **21**"),
        ],
        &["end_turn"],
        1,
    ),
    row(
        "claude-code/subagent-no-own-call.jsonl",
        ClaudeCode,
        &[
            r#"ToolSearch complete {"query":"select:TaskCreate","max_results":1}"#,
            r#"Agent complete {"description":"Compute 6 times 7","subagent_type":"general-purpose","prompt":"Compute 6 times 7. Reply"#,
        ],
        &[
            ("reasoning", "The user wants me to use the Task tool to launch a subagent to compute 6 times 7."),
            ("text", "Launching the subagent now.The answer is **42**."),
        ],
        &["end_turn"],
        1,
    ),
    row(
        "claude-code/tool-error-2025.jsonl",
        ClaudeCode,
        &[r#"Read complete {"file_path":"/nonexistent/file.txt"}"#],
        &[("text", "I'll try to read the file you specified.The file `/nonexistent/file.txt` does not exist.")],
        &[],
        1,
    ),
    row(
        "codex/failed-command.jsonl",
        Codex,
        &[r#"command_execution complete {"command":"/bin/bash -lc 'exit 42'"}"#],
        &[
            ("reasoning", "**Preparing to execute command**"),
            ("text", "Running `exit 42` in a shell now and then I'll report the exact exit status.The command exited"),
        ],
        &[],
        1,
    ),
    row(
        "codex/file-change.jsonl",
        Codex,
        &[
            r#"file_change complete {"changes":[{"path":"/tmp/codex_patch_test/test.txt","kind":"update"}]}"#,
            r#"command_execution complete {"command":"/bin/bash -lc 'cat /tmp/codex_patch_test/test.txt'"}"#,
        ],
        &[
            ("reasoning", "**Planning preliminary file inspection****Applying patch via file write****Verifying patch"),
            ("text", "I'll update `test.txt` directly by writing the file contents"),
        ],
        &[],
        1,
    ),
    row(
        "codex/multi-command.jsonl",
        Codex,
        &[
            r#"command_execution complete {"command":"/bin/bash -lc 'echo step1'"}"#,
            r#"command_execution complete {"command":"/bin/bash -lc 'echo step2'"}"#,
            r#"command_execution complete {"command":"/bin/bash -lc 'echo step3'"}"#,
        ],
        &[
            ("reasoning", "**Confirming sequential command execution**"),
            ("text", "Running the three commands sequentially now and I'll report each output in order.`echo step1`"),
        ],
        &[],
        1,
    ),
    row(
        "dashscope/multimodal-cumulative.sse",
        Dashscope,
        &[],
        &[("text", "Once upon a time, in a small village nestled between rolling hills")],
        &["stop"],
        9,
    ),
    row("dashscope/text-cumulative.sse", Dashscope, &[], &[("text", "1, 2, 3, 4, 5.")], &["stop"], 7),
    row("dashscope/text-incremental.sse", Dashscope, &[], &[("text", "1, 2, 3, 4, 5.")], &["stop"], 8),
    row(
        "dashscope/tool-call-incremental.sse",
        Dashscope,
        &[
            r#"generate_response complete {"name":"Einstein","age":76,"intro":"Albert Einstein was a renowned physicist who"#,
        ],
        &[],
        &["tool_calls"],
        9,
    ),
    row(
        "dashscope/tool-call-qwen-agent.sse",
        Dashscope,
        &[r#"get_current_weather_test complete {"city":"Beijing"}"#],
        &[],
        &["tool_calls"],
        3,
    ),
    row(
        "openai-realtime/translation.jsonl",
        OpenaiResponses,
        &[],
        &[("text", "La rápida zorra marrón salta sobre el perro perezoso.")],
        &[],
        0,
    ),
];
