/** Fills the registry: every file here defines its operations when it is loaded. */
import './program';
import './shape';
import './math';
import './libdevice';
import './assembly';
import './memory';
import './reduce';
import './dot';
import './dotScaled';
import './hints';
import './assume';
import './blocks';
import './gluon';
import './gluonShared';
