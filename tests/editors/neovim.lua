-- What tests/editors/run has neovim do, in its folder.

local function say(text) io.stdout:write(text .. "\n") end

-- A finding as "line:column rule".
local function place(line, column, rule) return line .. ":" .. column .. " " .. rule end

-- Diagnostics, those on the screen.
local function findings()
    local found = {}
    for _, d in ipairs(vim.diagnostic.get(0)) do
        local rule = d.code or d.user_data.lsp.code
        table.insert(found, place(d.lnum + 1, d.col + 1, rule))
    end
    table.sort(found)
    return table.concat(found, ", ")
end

-- What validate says of the buffer's text, in the same form; columns of an editor are bytes.
local function validated()
    local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    local command = { "dmlop", "validate", "--format", "json", "-" }
    local result = vim.fn.system(command, table.concat(lines, "\n") .. "\n")
    local found = {}
    for _, f in ipairs(vim.fn.json_decode(result).files[1].findings) do
        local column = vim.fn.byteidx(lines[f.line], f.column - 1) + 1
        table.insert(found, place(f.line, column, f.rule))
    end
    table.sort(found)
    return table.concat(found, ", ")
end

local function wait_for(what)
    local want = what or validated()
    if not vim.wait(20000, function() return findings() == want end, 20) then
        error("diagnostics: " .. findings() .. "\nvalidate:    " .. want)
    end
    say(#want > 0 and want or "no findings")
end

-- Applies the first code action of a kind that the server offers where a text is.
local function act(kind, what)
    vim.ui.select = function(items, _, choose)
        for _, item in ipairs(items) do
            local action = item.action or item[2]
            if vim.startswith(action.kind, kind) then
                say("chosen: " .. action.title)
                return choose(item)
            end
        end
        error("no action " .. kind)
    end
    assert(vim.fn.search(what, "w") > 0, what)
    local before = vim.api.nvim_buf_get_changedtick(0)
    local context = kind ~= "quickfix" and { only = { kind }, diagnostics = {} } or nil
    vim.lsp.buf.code_action(vim.fn.has("nvim-0.8") == 1 and { context = context } or context)
    local function changed() return vim.api.nvim_buf_get_changedtick(0) > before end
    assert(vim.wait(20000, changed, 20), "no action")
end

local function request(method, line, column)
    vim.api.nvim_win_set_cursor(0, { line, column })
    local answers = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(), 20000)
    for _, answer in pairs(answers) do
        return answer.result
    end
end

local function test()
    vim.cmd("edit broken.desc.json")
    assert(validated() ~= "", "nothing is wrong")
    wait_for()
    -- After characters of two, three and four bytes.
    act("quickfix", '"DML_OPERATOR')
    assert(vim.fn.search('"DML_OPERATOR_TOP_K1"') > 0, "the name is not mended")
    wait_for()
    -- Typing: a mistake more, and mended again.
    local line = vim.fn.search('"K":')
    local wrong = '    /* \195\169\240\159\152\128 */ "K": 0,'
    vim.api.nvim_buf_set_lines(0, line - 1, line, false, { wrong })
    wait_for()
    vim.api.nvim_buf_set_lines(0, line - 1, line, false, { '    "K": 2,' })
    wait_for()
    assert(request("textDocument/hover", line, 5).contents, "no hover")
    assert(request("textDocument/completion", line, 5), "no completion")
    act("source.fixAll", '^{')
    wait_for("")
    vim.cmd("write")
    say("\nall is well")
end

local good, why = xpcall(test, debug.traceback)
if not good then
    say(why)
    vim.cmd("cquit 1")
end
vim.cmd("qall!")
